import { renameSync, writeFileSync } from 'node:fs';

import type { JsonObject } from '../../../../src/core/json.ts';
import { parsePolicy } from '../../../../src/policy/index.ts';
import { compileSensorPolicy } from '../../../../src/policy/sensor-file/compile.ts';

/** Sections of a policy; id and version are added. */
export type Sections = JsonObject;

/** Writes a sensor's policy file as the control plane does: parsed, compiled, whole, by rename. */
export function writePolicy(path: string, sections: Sections, generation = 1): void {
  const text = JSON.stringify({ policy_id: 'test', version: generation, ...sections });
  const policy = parsePolicy(Buffer.from(text));
  const ref = { policy_id: 'test', version: generation, digest: 'sha256:test', generation };
  writeFileSync(`${path}.new`, JSON.stringify(compileSensorPolicy(policy, ref)));
  renameSync(`${path}.new`, path);
}

/** One of each that the test servers offer, denied. */
const DENIALS: JsonObject = {
  tools: { '*': { deny_list: ['danger'] } },
  resources: { '*': { deny_list: ['mem://secret'] } },
  prompts: { '*': { deny_list: ['trick'] } },
};

/** A policy that denies them on one side (or both) and watches nothing on the other. */
export function denyOn(side: 'client' | 'server' | 'both', remediate = true): Sections {
  const off = { enable: false };
  return {
    js_sensor: {
      remediate,
      mcp: { client: side === 'server' ? off : DENIALS, server: side === 'client' ? off : DENIALS },
    },
  };
}
