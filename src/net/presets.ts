import { inherit, type Network, type NetworkConfig, parsePolicy, type Policy } from '../policy/index.ts';

/** The configurations that ship with the program: the `network` section of a policy document. Throws POLICY_INVALID. */
export function parsePresets(bytes: Uint8Array): Network {
  return parsePolicy(bytes).network ?? {};
}

/**
 * The network configurations that a run may name: those of the policy, and presets under names that the policy does not
 * have. Where the policy has configurations of its own, only presets that let nothing out join them: any other one
 * would reach what the policy's author did not list, and would stand in for a configuration that was removed.
 */
export function networksOf({ network = {} }: Pick<Policy, 'network'>, presets: Network): Network {
  const own = Object.keys(network).length > 0;
  const joining = Object.entries(presets).filter(([, preset]) => !own || letsNothingOut(preset));
  return { ...Object.fromEntries(joining), ...network };
}

function letsNothingOut(config: NetworkConfig): boolean {
  const { enabled, mode } = inherit([config]);
  return enabled && mode === 'enforce' && (config.egress ?? []).length === 0;
}
