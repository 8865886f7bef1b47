import { CLOSED_RANGES, inRange, parseAddress } from '../policy/index.ts';
import { addressOf, ranges } from './addresses.ts';
import type { NameRules } from './dns-port.ts';
import { hostAddresses, isExact } from './egress.ts';
import type { NetworkFacts } from './facts.ts';
import { type NetworkRuleSet, rulesForName } from './rules.ts';

/** What the resolver needs of a configuration, at one start of a sandbox. Pure. */
export function nameRules(rules: NetworkRuleSet, facts: NetworkFacts): NameRules {
  const hosts = new Set(hostAddresses(facts));
  const subnets = ranges(facts.subnets);
  const exact = new Set(rules.ranges.filter(isExact).map(({ range }) => addressOf(range)));
  return {
    mode: rules.config.mode.mode,
    anyName: rules.ranges.some(({ range }) => range.prefix === 0),
    rulesFor: (name) => rulesForName(rules, name).map(({ id }) => id),
    closed: (text) => {
      const address = parseAddress(text);
      if (address === undefined) return 'no address';
      const canonical = addressOf(address);
      if (exact.has(canonical)) return undefined;
      if (hosts.has(canonical)) return 'the host of the sandbox';
      if (rules.ranges.some(({ namesClosed, range }) => namesClosed && inRange(address, range))) return undefined;
      const closed = CLOSED_RANGES.find(({ range }) => inRange(address, range));
      if (closed !== undefined) return closed.what;
      return subnets.some((range) => inRange(address, range)) ? "the sandbox's own network" : undefined;
    },
  };
}
