/** `512m`, `1.5g`, `1024` … in docker's units (powers of 1024). */
const SIZE = /^(\d+(?:\.\d+)?)\s?([bkmgt])?b?$/i;
const UNITS: Readonly<Record<string, number>> = { b: 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

/** Bytes of a size as a policy or a flag writes it; undefined when it is none. */
export function sizeInBytes(size: number | string): number | undefined {
  if (typeof size === 'number') return size;
  const match = SIZE.exec(size);
  if (match === null) return undefined;
  return Math.floor(Number(match[1]) * (UNITS[(match[2] ?? 'b').toLowerCase()] ?? 1));
}
