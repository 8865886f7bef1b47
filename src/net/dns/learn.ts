import { parseAddress } from '../../policy/index.ts';
import type { LearntAddress, NameRules } from '../dns-port.ts';
import { shown } from './judge.ts';
import type { Chain } from './chain.ts';
import type { Answer } from './codec.ts';

/** Seconds that an answer's records are shown to live at most: the client asks again while its address is let out to. */
const MOST_TTL = 1800;
/** An address is let out to for at least so long: some servers answer with 0, and connecting takes its time. */
const LEAST_TTL = 60;
/** Added for clients that keep an answer a little longer than they should. Open connections need no grace. */
const GRACE = 60;

/** What of a chain is answered and learnt. */
export interface Admitted {
  readonly answers: readonly Answer[];
  readonly learnt: readonly LearntAddress[];
  /** Why an address of it is refused, one sentence. */
  readonly refused?: string;
}

/** Sifts the records of `chain` for `name`: addresses that are closed are left out (enforce) and said in any case. */
export function admit(name: string, chain: Chain, rules: NameRules, ids: readonly number[]): Admitted {
  const judged = chain.records.map((record) => ({ record, why: closed(record, rules) }));
  const bad = judged.find(({ why }) => why !== undefined);
  const kept = judged.filter(({ why }) => why === undefined || rules.mode === 'observe').map(({ record }) => record);
  const learnt = kept.flatMap((record): readonly LearntAddress[] =>
    (record.type === 'A' || record.type === 'AAAA') && ids.length > 0
      ? [{ address: record.data, ...times(chain.ttl), rules: ids }]
      : [],
  );
  return {
    answers: [...chain.aliases, ...kept].map(shortened),
    learnt,
    ...(bad === undefined ? {} : { refused: `${shown(name)} stands for ${text(bad.record)}, which is ${bad.why}.` }),
  };
}

/** Twice the time that it has to be: to renew an entry takes the kernel longer (some 20 ms) than all else of an answer. */
function times(ttl: number): Pick<LearntAddress, 'ttlSeconds' | 'leastSeconds'> {
  const leastSeconds = Math.min(Math.max(ttl, LEAST_TTL), MOST_TTL) + GRACE;
  return { ttlSeconds: 2 * leastSeconds, leastSeconds };
}

/** Why the address of a record is closed; undefined when it is not, or has none. */
function closed(record: Answer, rules: NameRules): string | undefined {
  if (record.type !== 'A' && record.type !== 'AAAA') return undefined;
  const address = parseAddress(record.data);
  if (address === undefined) return 'no address';
  // `::ffff:10.0.0.1` would be judged, and reached, as another family than the one that was asked for.
  if (record.type === 'AAAA' && address.family === 4) return 'an IPv4 address in IPv6';
  return rules.closed(record.data);
}

function text(record: Answer): string {
  return 'data' in record && typeof record.data === 'string' ? record.data : record.type;
}

function shortened(record: Answer): Answer {
  return 'ttl' in record ? { ...record, ttl: Math.min(record.ttl ?? 0, MOST_TTL) } : record;
}
