import { writeFileSync } from 'node:fs';

import type { Network } from '../../../../src/policy/index.ts';
import type { TestHost } from '../../helpers/host.ts';

/** Signs a policy with these configurations on a host; the flags with which a run is under it. */
export async function policyFlags(
  host: Pick<TestHost, 'path' | 'policy'>,
  network: Network,
): Promise<readonly string[]> {
  const [policy, key] = [host.path('policy.json'), host.path('key')];
  writeFileSync(policy, JSON.stringify({ policy_id: 'network', version: 1, network }));
  for (const args of [
    ['keygen', '--out', key],
    ['sign', policy, '--key', key],
  ]) {
    const { exitCode, stderr } = await host.policy(args);
    if (exitCode !== 0) throw new Error(stderr);
  }
  return ['--policy', policy, '--policy-key', `${key}.pub`];
}
