import type { JsonObject } from '../../core/json.ts';

/** A packet that the rules logged, and those like it. */
export interface LoggedPacket {
  readonly verdict: 'allow' | 'deny' | 'observe';
  /** `out`, `in`, or what refused it: see the chains of `networkRuleset`. */
  readonly reason: string;
  /** The connection came from outside. */
  readonly inward: boolean;
  /** The other end. */
  readonly peer: string;
  /** Of the destination; 0 where the protocol has none. */
  readonly port: number;
  readonly protocol: string;
  readonly uid: number | null;
  readonly count: number;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const number = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** Reads what the helper says of a packet; undefined for a log prefix that is none of ours. */
export function loggedPacket(said: JsonObject): LoggedPacket | undefined {
  const [, verdict, reason] = /^ucp:(allow|deny|observe):([a-z]+)$/.exec(text(said['prefix']).trim()) ?? [];
  if (reason === undefined || (verdict !== 'allow' && verdict !== 'deny' && verdict !== 'observe')) return undefined;
  const inward = reason === 'in';
  return {
    verdict,
    reason,
    inward,
    peer: text(said[inward ? 'source' : 'destination']),
    port: number(said['destinationPort']),
    protocol: protocolName(said['protocol']),
    uid: typeof said['uid'] === 'number' ? said['uid'] : null,
    count: number(said['count']) || 1,
  };
}

const PROTOCOLS: Readonly<Record<number, string>> = { 1: 'icmp', 6: 'tcp', 17: 'udp', 58: 'icmpv6' };

function protocolName(value: unknown): string {
  return typeof value === 'string' ? value : (PROTOCOLS[number(value)] ?? String(number(value)));
}
