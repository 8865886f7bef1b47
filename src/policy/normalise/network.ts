import type { JsonObject } from '../../core/json.ts';
import type { Draft } from './draft.ts';

/** Keys of the other layouts' `network` that a canonical one could only have as names of configurations. */
const FOREIGN = ['enable', 'general', 'firewall'] as const;

/** `network.{enable,general,firewall}`: the engine arranges bridges itself; the firewall's fields are not public. */
export function normaliseNetwork(draft: Draft): void {
  const network = draft.object(['network']);
  if (network === undefined || !isForeign(network)) return;
  const named = Object.keys(network).filter((key) => !(FOREIGN as readonly string[]).includes(key));
  if (named.length > 0) {
    draft.ambiguous(
      ['network', named[0] ?? ''],
      `"${named[0]}" names a configuration beside keys of another layout; keep one layout`,
    );
  }
  const { firewall, enable } = network;
  const empty =
    firewall === undefined || (typeof firewall === 'object' && firewall !== null && Object.keys(firewall).length === 0);
  if (!empty)
    draft.unsupported(
      ['network', 'firewall'],
      'write the rules as canonical network configurations: "network": { "NAME": { "egress": […] } }',
    );
  else if (enable === true) {
    draft.ambiguous(
      ['network'],
      'the network section is on, but its firewall is empty: that could mean all or nothing; write a configuration',
    );
  }
  draft.drop(['network'], 'off, or of a layout whose bridges and gateways the engine arranges here by itself');
}

/** A configuration may be called `general`; a boolean `enable`, or a bridge, shows the other layout. */
function isForeign(network: JsonObject): boolean {
  const { general, enable } = network;
  const bridged =
    typeof general === 'object' && general !== null && ['bridge', 'gateway'].some((key) => key in general);
  return typeof enable === 'boolean' || bridged;
}
