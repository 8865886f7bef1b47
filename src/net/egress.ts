import { CLOSED_RANGES, within } from '../policy/index.ts';
import { canonicalAddress, ranges } from './addresses.ts';
import type { LearntElement, NetworkFacts } from './facts.ts';
import { addressSets, type Block, familyWords, grouped, groupKey, portMatch, rangeBlock, unmarked } from './groups.ts';
import { markText } from './rule-id.ts';
import type { NetworkRuleSet, RangeRule, Rule } from './rules.ts';
import type { NftSet } from './table.ts';

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
export function egressBlock(rules: NetworkRuleSet, facts: NetworkFacts): Block {
  const own = ranges(facts.subnets);
  const namesClosed = (rule: RangeRule): boolean =>
    rule.namesClosed || own.some((subnet) => within(rule.range, subnet));
  const wide = rules.ranges.filter((rule) => !isExact(rule));
  const named = wide.filter(namesClosed);
  const open = wide.filter((rule) => !namesClosed(rule));
  const closed = unmarked([...CLOSED_RANGES.map(({ range }) => range), ...own]);
  const blocks = [
    exactBlock(rules),
    addressSets(
      'host',
      unmarked(ranges(hostAddresses(facts))),
      ({ word }, set) => `${word} daddr @${set} goto refuse_host`,
    ),
    rangeBlock('named', named, 'daddr', 'allow_out'),
    addressSets('closed', closed, ({ word }, set) => `${word} daddr @${set} goto refuse_closed`),
    rangeBlock('open', open, 'daddr', 'allow_out'),
    learntBlock(rules),
  ];
  return {
    sets: blocks.flatMap(({ sets }) => sets),
    rules: [...blocks.flatMap((block) => block.rules), 'goto refuse_rule'],
  };
}

const exactBlocks = new WeakMap<NetworkRuleSet, Block>();

/** The same for all sandboxes under one configuration, and made once. */
function exactBlock(rules: NetworkRuleSet): Block {
  const made = exactBlocks.get(rules) ?? rangeBlock('exact', rules.ranges.filter(isExact), 'daddr', 'allow_out');
  exactBlocks.set(rules, made);
  return made;
}

/** Name of the map that takes the addresses of names under `rule`. */
export function learntMap(rule: Pick<Rule, 'protocol' | 'ports'>, family: 4 | 6): string {
  return `learnt_${groupKey(rule)}_v${family}`;
}

/** The addresses that names stood for come and go: the maps begin empty. */
function learntBlock(rules: NetworkRuleSet): Block {
  const sets: NftSet[] = [];
  const lines: string[] = [];
  for (const group of namedGroups(rules)) {
    for (const family of [4, 6] as const) {
      const { type, word } = familyWords(family);
      const map = learntMap(group, family);
      sets.push({ kind: 'map', name: map, spec: `type ${type} : mark; flags timeout;`, elements: [] });
      lines.push(`${portMatch(group)} ct mark set ${word} daddr map @${map} goto allow_out`);
    }
  }
  return { sets, rules: lines };
}

function namedGroups({ names, wildcards }: NetworkRuleSet): ReturnType<typeof grouped<Rule>> {
  return grouped([...names.values(), ...wildcards.values()].flat());
}

/**
 * Puts `learnt` into the maps of names; `anew`: in place of all that is in them. One line of nft text each. Where two
 * names of one map stand for an address, it is that of the one asked last.
 */
export function learntText(rules: NetworkRuleSet, learnt: readonly LearntElement[], anew: boolean): string {
  const groups = anew ? namedGroups(rules) : [];
  const flushes = groups
    .flatMap((group) => [learntMap(group, 4), learntMap(group, 6)])
    .map((map) => `flush map inet ucp ${map}\n`);
  const byMap = new Map<string, Map<string, string>>();
  for (const { address, rule: id, timeoutSeconds } of learnt) {
    const rule = rules.byId.get(id);
    if (rule === undefined) continue;
    const map = learntMap(rule, address.includes(':') ? 6 : 4);
    const elements = byMap.get(map) ?? new Map<string, string>();
    byMap.set(map, elements.set(address, `${address} timeout ${timeoutSeconds}s : ${markText(id)}`));
  }
  const added = [...byMap].map(([map, all]) => `add element inet ucp ${map} { ${[...all.values()].join(', ')} }\n`);
  return [...flushes, ...added].join('');
}
