import { readFileSync } from 'node:fs';

import { UcpError } from '../../core/errors.ts';
import type { HelperSpec } from './spec.ts';

/** Bits of capabilities(7), those that a helper may ask for. */
const BIT: Readonly<Record<string, number>> = { DAC_READ_SEARCH: 2, NET_ADMIN: 12, SYS_PTRACE: 19, SYS_ADMIN: 21 };

/**
 * How a helper runs: as a child where this process has the rights to give, else as a container that the engine gives
 * them to. The service has none and gets containers: they are not of its control group, so its restart leaves them be.
 * `UCP_HELPER` chooses. Throws USAGE for a word that is neither.
 */
export function helperMode(
  { capabilities }: Pick<HelperSpec, 'capabilities'>,
  { onDemand, chosen }: { readonly onDemand: boolean; readonly chosen: string | undefined },
  status: string = readFileSync('/proc/self/status', 'utf8'),
): 'child' | 'container' {
  if (chosen === 'child' || chosen === 'container') return chosen;
  if (chosen !== undefined) {
    throw new UcpError('USAGE', `UCP_HELPER is ${JSON.stringify(chosen)}; expected child or container.`);
  }
  return onDemand && hasCapabilities({ capabilities }, status) ? 'child' : 'container';
}

/** Whether this process has the rights to give that a helper needs. */
export function hasCapabilities(
  { capabilities }: Pick<HelperSpec, 'capabilities'>,
  status: string = readFileSync('/proc/self/status', 'utf8'),
): boolean {
  const effective = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);
  return capabilities.every((name) => ((effective >> BigInt(BIT[name] ?? 63)) & 1n) === 1n);
}
