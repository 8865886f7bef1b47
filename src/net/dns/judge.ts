import { parseAddress } from '../../policy/index.ts';
import type { NameRules } from '../dns-port.ts';
import type { DnsQuery } from './query.ts';

/** Types that programs need to reach what they are let out to; other types of a permitted name have no records. */
const NEEDED: ReadonlySet<string> = new Set(['A', 'AAAA', 'CNAME', 'SRV']);
/** Never a program's question: whole zones, and everything at once (RFC 8482). */
const NEVER: ReadonlySet<string> = new Set(['AXFR', 'IXFR', 'ANY']);
/** A name of more than this below a wildcard carries data, not a host (tunnelling). */
const MOST_LABELS = 10;
const MOST_LENGTH = 160;

/** What is to be done with a question. */
export type Judgement =
  /** Asked upstream; `refused` is set where that is so only because the config observes. */
  | { readonly kind: 'ask'; readonly rules: readonly number[]; readonly refused?: string }
  /** A permitted name whose records of this type are nobody's need: no such records. */
  | { readonly kind: 'nothing' }
  /** Never leaves the host: no such name. */
  | { readonly kind: 'deny'; readonly refused: string };

/** Decides on a question. */
export function judge({ name, type }: Pick<DnsQuery, 'name' | 'type'>, rules: NameRules): Judgement {
  const host = type === 'SRV' ? name.replace(/^(?:_[^.]+\.){1,2}/, '') : name;
  const named = rules.rulesFor(host);
  const permitted = (named.length > 0 || rules.anyName) && isHost(host);
  const refused = permitted ? tooLong(host) : `No egress rule names ${shown(host)}.`;
  if (refused !== undefined && rules.mode === 'enforce') return { kind: 'deny', refused };
  if (NEVER.has(type) || !(rules.mode === 'observe' || rules.anyName || NEEDED.has(type))) return { kind: 'nothing' };
  return { kind: 'ask', rules: named, ...(refused === undefined ? {} : { refused }) };
}

/** Not an address: resolvers and programs take those as what they are, and no rule names them as names. */
function isHost(name: string): boolean {
  return name !== '' && parseAddress(name) === undefined;
}

function tooLong(name: string): string | undefined {
  const long = name.length > MOST_LENGTH || name.split('.').length > MOST_LABELS;
  return long ? `${shown(name)} is longer than names of hosts are.` : undefined;
}

/** A name in a sentence: control characters visible, cut when it is long. */
export function shown(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
}
