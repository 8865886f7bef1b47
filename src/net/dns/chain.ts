import type { Answer } from './codec.ts';
import { nameOf } from './upstream-packet.ts';

/** More aliases than any real name has (resolvers stop between 8 and 16). */
const MOST_ALIASES = 12;
/** Records of one answer that are passed on; the rest is left out. */
const MOST_RECORDS = 128;

/** The records of an answer that lead from the question to what was asked for. */
export interface Chain {
  readonly aliases: readonly Answer[];
  readonly records: readonly Answer[];
  /** Seconds until the first of them ends; 0 when there are none. */
  readonly ttl: number;
}

/**
 * Follows the aliases (CNAME) of an answer from `name` to the records of `type`. Everything that is not on this way is
 * left out. A chain without an end, or a longer one than any real name has, has no records.
 */
export function follow(name: string, type: string, answers: readonly Answer[]): Chain {
  const aliases: Answer[] = [];
  let at = name;
  for (;;) {
    const next = type === 'CNAME' ? undefined : answers.find((record) => owns(record, at, 'CNAME'));
    if (next?.type !== 'CNAME') break;
    if (aliases.length === MOST_ALIASES) return { aliases: [], records: [], ttl: 0 };
    aliases.push(next);
    at = nameOf(next.data);
  }
  const records = answers.filter((record) => owns(record, at, type)).slice(0, MOST_RECORDS);
  const ttls = [...aliases, ...records].map((record) => ('ttl' in record ? (record.ttl ?? 0) : 0));
  return { aliases, records, ttl: records.length === 0 ? 0 : Math.min(...ttls) };
}

function owns(record: Answer, name: string, type: string): boolean {
  return record.type === type && 'class' in record && record.class === 'IN' && nameOf(record.name) === name;
}
