import { type Address, type NetworkRange, parseAddress, parseRange } from '../policy/index.ts';

export { type NetworkRange, parseRange };

/** Address `value` as nft and people write it. */
export function addressText(value: bigint, family: 4 | 6): string {
  const size = family === 4 ? 8n : 16n;
  const count = family === 4 ? 4 : 8;
  const mask = (1n << size) - 1n;
  const parts = Array.from({ length: count }, (_, index) => (value >> (size * BigInt(count - 1 - index))) & mask);
  if (family === 4) return parts.join('.');
  return compressed(parts.map((part) => part.toString(16)));
}

/** The first of the longest runs of zeros as `::`. */
function compressed(groups: readonly string[]): string {
  const runs = /(?:^|:)0(?::0)+(?=:|$)/g;
  const text = groups.join(':');
  const longest = [...text.matchAll(runs)].toSorted((left, right) => right[0].length - left[0].length)[0];
  if (longest === undefined) return text;
  const before = text.slice(0, longest.index);
  const after = text.slice(longest.index + longest[0].length);
  return `${before}::${after.replace(/^:/, '')}`;
}

/** One spelling for an address; undefined when `text` is none. IPv4 in IPv6 is IPv4. */
export function canonicalAddress(text: string): string | undefined {
  const parsed = parseAddress(text);
  return parsed === undefined ? undefined : addressOf(parsed);
}

/** An address as text. */
export function addressOf({ bytes, family }: Address): string {
  if (family === 4) return bytes.join('.');
  return addressText(
    bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n),
    family,
  );
}

/** One spelling for a range. */
export function rangeText(range: NetworkRange): string {
  return `${addressOf(range)}/${range.prefix}`;
}

/** Ranges of texts, those that are none left out. */
export function ranges(texts: readonly string[]): readonly NetworkRange[] {
  return texts.flatMap((text) => parseRange(text) ?? []);
}
