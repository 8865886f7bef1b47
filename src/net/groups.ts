import { hash } from 'node:crypto';

import { addressOf, type NetworkRange } from './addresses.ts';
import { intervalElements, type RangeMark } from './intervals.ts';
import { type PortSpan, spansText } from './port-spans.ts';
import { markText } from './rule-id.ts';
import type { Rule } from './rules.ts';
import type { NftSet } from './table.ts';

/** Rules with the same protocol and ports share a map, so that their number costs a connection nothing. */
interface Group<R extends Rule> {
  readonly key: string;
  readonly protocol: 'tcp' | 'udp';
  readonly ports: readonly PortSpan[];
  readonly rules: readonly R[];
}

/** Name of the group of a rule: the same for the same protocol and ports, whatever stands around them. */
export function groupKey({ protocol, ports }: Pick<Rule, 'protocol' | 'ports'>): string {
  return hash('sha256', `${protocol} ${spansText(ports)}`).slice(0, 10);
}

/** Rules by protocol and ports, in the order of their first ones. */
export function grouped<R extends Rule>(rules: readonly R[]): readonly Group<R>[] {
  const groups = new Map<string, Group<R> & { readonly rules: R[] }>();
  // Rules that stand in one list share their ports.
  const keys = { tcp: new Map<Rule['ports'], string>(), udp: new Map<Rule['ports'], string>() };
  for (const rule of rules) {
    if (rule.ports.length === 0) continue;
    const known = keys[rule.protocol].get(rule.ports);
    const key = known ?? groupKey(rule);
    if (known === undefined) keys[rule.protocol].set(rule.ports, key);
    const group = groups.get(key) ?? { key, protocol: rule.protocol, ports: rule.ports, rules: [] };
    group.rules.push(rule);
    groups.set(key, group);
  }
  return [...groups.values()];
}

const FAMILIES = [
  { family: 4, type: 'ipv4_addr', word: 'ip' },
  { family: 6, type: 'ipv6_addr', word: 'ip6' },
] as const;
export type FamilyWords = (typeof FAMILIES)[number];

/** Maps, and the rules that look up in them. */
export interface Block {
  readonly sets: readonly NftSet[];
  readonly rules: readonly string[];
}

/** nft's words for a family. */
export function familyWords(family: 4 | 6): FamilyWords {
  return FAMILIES[family === 4 ? 0 : 1];
}

/** Protocol and ports as the head of an nft rule. */
export function portMatch({ protocol, ports }: Pick<Rule, 'protocol' | 'ports'>): string {
  return `meta l4proto ${protocol} th dport { ${spansText(ports)} }`;
}

function isSingle({ range }: RangeMark): boolean {
  return range.prefix === range.bytes.length * 8;
}

/** Single addresses don't need an interval map: looking up in another one and filling it costs half. */
function singleElements(marks: readonly RangeMark[], family: 4 | 6): readonly { text: string; id: number }[] {
  const byText = new Map<string, number>();
  for (const { range, id } of marks) {
    const text = range.family === family ? addressOf(range) : undefined;
    if (text !== undefined && !byText.has(text)) byText.set(text, id);
  }
  return [...byText].map(([text, id]) => ({ text, id }));
}

/**
 * Maps `name_<group>_<family>` of ranges to rule ids, and the rules that mark a new connection by them and go to
 * `verdict`. `side`: which address counts.
 */
export function rangeBlock(
  name: string,
  rules: readonly (Rule & RangeMark)[],
  side: 'daddr' | 'saddr',
  verdict: string,
): Block {
  const sets: NftSet[] = [];
  const lines: string[] = [];
  for (const group of grouped(rules)) {
    for (const { family, type, word } of FAMILIES) {
      const single = group.rules.every(isSingle);
      const found = single ? singleElements(group.rules, family) : intervalElements(group.rules, family);
      if (found.length === 0) continue;
      const map = `${name}_${group.key}_v${family}`;
      const elements = found.map(({ text, id }) => `${text} : ${markText(id)}`);
      sets.push({ kind: 'map', name: map, spec: `type ${type} : mark;${single ? '' : ' flags interval;'}`, elements });
      lines.push(`${portMatch(group)} ct mark set ${word} ${side} map @${map} goto ${verdict}`);
    }
  }
  return { sets, rules: lines };
}

/** Ranges for a set, which has no ids. */
export function unmarked(found: readonly NetworkRange[]): readonly RangeMark[] {
  return found.map((range) => ({ range, id: 0 }));
}

/** A set of ranges, one per family that has any; `rule` makes the line that uses it. */
export function addressSets(
  name: string,
  marks: readonly RangeMark[],
  rule: (words: FamilyWords, set: string) => string,
): Block {
  const sets: NftSet[] = [];
  const rules: string[] = [];
  for (const words of FAMILIES) {
    const elements = intervalElements(marks, words.family).map(({ text }) => text);
    if (elements.length === 0) continue;
    const set = `${name}_v${words.family}`;
    sets.push({ kind: 'set', name: set, spec: `type ${words.type}; flags interval;`, elements });
    rules.push(rule(words, set));
  }
  return { sets, rules };
}
