import { isIPv4, isIPv6 } from 'node:net';

/** An IP address as 4 or 16 bytes; IPv4 in IPv6 (`::ffff:a.b.c.d`) is IPv4. */
export interface Address {
  readonly family: 4 | 6;
  readonly bytes: readonly number[];
}

/** A network: an address, and how many bits of it count. */
export interface NetworkRange extends Address {
  readonly prefix: number;
}

/** Reads an address in its usual notations; undefined when it is none or has a zone. */
export function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) return { family: 4, bytes: text.split('.').map(Number) };
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  const hex = dotted === null ? text : `${dotted[1]}${pair(dotted[2], dotted[3])}:${pair(dotted[4], dotted[5])}`;
  const [head = '', tail] = hex.split('::');
  const [before, after] = [groups(head), groups(tail ?? '')];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  const all = tail === undefined ? before : [...before, ...zeros, ...after];
  const bytes = all.flatMap((group) => [group >> 8, group & 255]);
  const mapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  return mapped ? { family: 4, bytes: bytes.slice(12) } : { family: 6, bytes };
}

/** The 16-bit groups of one side of `::`. */
function groups(part: string): readonly number[] {
  return part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
}

function pair(high: string | undefined, low: string | undefined): string {
  return (Number(high) * 256 + Number(low)).toString(16);
}

/** Reads CIDR notation; a bare address is a network of one. Undefined when it is none. */
export function parseRange(text: string): NetworkRange | undefined {
  const [address = '', prefix] = text.split('/');
  const parsed = parseAddress(address);
  if (parsed === undefined) return undefined;
  const widest = parsed.family === 4 ? 32 : 128;
  const written = address.includes(':') ? 128 : 32;
  // A prefix on a mapped address counts from its 128 bits.
  const bits = prefix === undefined ? widest : Number(prefix) - (written - widest);
  return bits >= 0 && bits <= widest ? { ...parsed, prefix: bits } : undefined;
}

/** True when `address` is in `range`. */
export function inRange(address: Address, range: NetworkRange): boolean {
  return address.family === range.family && sharesBits(address.bytes, range.bytes, range.prefix);
}

/** True when all of `inner` is in `outer`. */
export function within(inner: NetworkRange, outer: NetworkRange): boolean {
  return inner.prefix >= outer.prefix && inRange(inner, outer);
}

function sharesBits(left: readonly number[], right: readonly number[], count: number): boolean {
  for (let bit = 0; bit < count; bit += 8) {
    const mask = count - bit >= 8 ? 255 : (255 << (8 - (count - bit))) & 255;
    if (((left[bit >> 3] ?? 0) & mask) !== ((right[bit >> 3] ?? 0) & mask)) return false;
  }
  return true;
}

const CLOSED = [
  ['0.0.0.0/8', 'this host'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', "a provider's own network"],
  ['127.0.0.0/8', 'loopback'],
  ['168.63.129.16/32', "the cloud's wire server"],
  ['169.254.0.0/16', 'link-local, with the metadata service'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'reserved'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'reserved'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
  ['::/128', 'this host'],
  ['::1/128', 'loopback'],
  ['64:ff9b::/96', 'IPv4 behind a translator'],
  ['64:ff9b:1::/48', 'IPv4 behind a translator'],
  ['100::/64', 'reserved'],
  ['2002::/16', 'IPv4 in IPv6'],
  ['fc00::/7', 'private'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'private'],
  ['ff00::/8', 'multicast'],
] as const;

/** Ranges that no rule opens unless it names them, and what they are (DESIGN §10). */
export const CLOSED_RANGES: readonly { readonly range: NetworkRange; readonly what: string }[] = CLOSED.flatMap(
  ([text, what]) => {
    const range = parseRange(text);
    return range === undefined ? [] : [{ range, what }];
  },
);
