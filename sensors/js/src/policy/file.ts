import type { SensorPolicyFile } from '../../../../src/core/sensor-protocol.ts';

/** Text of a policy file as its value, or why it is none. */
export function parsePolicyFile(text: string): SensorPolicyFile | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `The policy file is not JSON: ${String(error)}`;
  }
  if (!isRecord(value)) return 'The policy file holds no object.';
  if (value['format'] !== 1) return `The policy file has format ${String(value['format'])}; this sensor reads 1.`;
  if (typeof value['generation'] !== 'number') return 'The policy file has no generation.';
  if (!isRecord(value['policy']) || !isRecord(value['programs'])) return 'The policy file lacks policy or programs.';
  return value as unknown as SensorPolicyFile;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
