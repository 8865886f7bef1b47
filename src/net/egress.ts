import { CLOSED_RANGES, within } from '../policy/index.ts';
import { canonicalAddress, ranges } from './addresses.ts';
import type { LearntElement, NetworkFacts } from './facts.ts';
import { addressSets, type Block, familyWords, grouped, groupKey, portMatch, rangeBlock, unmarked } from './groups.ts';
import { markText } from './rule-id.ts';
import type { NetworkRuleSet, RangeRule, Rule } from './rules.ts';

/** The host as a sandbox sees it: opened only by a rule that names exactly this address. */
export function hostAddresses({ gateways, hostAddresses }: NetworkFacts): readonly string[] {
  return [...new Set([...gateways, ...hostAddresses].flatMap((text) => canonicalAddress(text) ?? []))].toSorted();
}

/** A rule that names one address by itself. */
export function isExact({ range }: RangeRule): boolean {
  return range.prefix === range.bytes.length * 8;
}

/**
 * Judges a new connection out of the sandbox, in this order: an exact address that a rule names; the host; a closed
 * range that a rule names a part of; the rest of what is closed; addresses of rules and of names that were asked;
 * everything else. Pure.
 */
export function egressBlock(rules: NetworkRuleSet, facts: NetworkFacts, learnt: readonly LearntElement[]): Block {
  const own = ranges(facts.subnets);
  const namesClosed = (rule: RangeRule): boolean =>
    rule.namesClosed || own.some((subnet) => within(rule.range, subnet));
  const exact = rules.ranges.filter(isExact);
  const wide = rules.ranges.filter((rule) => !isExact(rule));
  const named = wide.filter(namesClosed);
  const open = wide.filter((rule) => !namesClosed(rule));
  const closed = unmarked([...CLOSED_RANGES.map(({ range }) => range), ...own]);
  const blocks = [
    rangeBlock('exact', exact, 'daddr', 'allow_out'),
    addressSets(
      'host',
      unmarked(ranges(hostAddresses(facts))),
      ({ word }, set) => `${word} daddr @${set} goto refuse_host`,
    ),
    rangeBlock('named', named, 'daddr', 'allow_out'),
    addressSets('closed', closed, ({ word }, set) => `${word} daddr @${set} goto refuse_closed`),
    rangeBlock('open', open, 'daddr', 'allow_out'),
    learntBlock(rules, learnt),
  ];
  return {
    sets: blocks.flatMap(({ sets }) => sets),
    rules: [...blocks.flatMap((block) => block.rules), 'goto refuse_rule'],
  };
}

/** Name of the map that takes the addresses of names under `rule`. */
export function learntMap(rule: Pick<Rule, 'protocol' | 'ports'>, family: 4 | 6): string {
  return `learnt_${groupKey(rule)}_v${family}`;
}

function learntBlock(rules: NetworkRuleSet, learnt: readonly LearntElement[]): Block {
  const byMap = new Map<string, string[]>();
  for (const { address, rule: id, timeoutSeconds } of learnt) {
    const rule = rules.byId.get(id);
    if (rule === undefined) continue;
    const map = learntMap(rule, address.includes(':') ? 6 : 4);
    byMap.set(map, [...(byMap.get(map) ?? []), `${address} timeout ${timeoutSeconds}s : ${markText(id)}`]);
  }
  const sets: string[] = [];
  const lines: string[] = [];
  for (const group of grouped([...rules.names.values(), ...rules.wildcards.values()].flat())) {
    for (const family of [4, 6] as const) {
      const { type, word } = familyWords(family);
      const map = learntMap(group, family);
      const elements = byMap.get(map);
      const filled = elements === undefined ? '' : ` elements = { ${elements.join(', ')} }`;
      sets.push(`map ${map} { type ${type} : mark; flags timeout;${filled} }`);
      lines.push(`${portMatch(group)} ct mark set ${word} daddr map @${map} goto allow_out`);
    }
  }
  return { sets, rules: lines };
}
