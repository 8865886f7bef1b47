import { badValue } from './usage.ts';

const UNITS: Readonly<Record<string, number>> = { '': 1, b: 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

/** Bytes of `512m`, `1.5g`, `64MiB`: docker's units, powers of 1024. */
export function parseSize(flag: string, text: string): number {
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?) ?([bkmgt]?)(?:i?b)?$/i.exec(text) ?? [];
  const bytes = Number.parseFloat(amount) * (UNITS[unit.toLowerCase()] ?? Number.NaN);
  if (!Number.isFinite(bytes) || bytes < 1) throw badValue(flag, 'a size such as 512m', text);
  return Math.floor(bytes);
}

/** A whole number that is at least `min`. */
export function parseCount(flag: string, text: string, min: number): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(count) || count < min) throw badValue(flag, `a whole number, at least ${min}`, text);
  return count;
}

/** Processors: a number above zero. */
export function parseCpus(flag: string, text: string): number {
  const cpus = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(cpus > 0)) throw badValue(flag, 'a number of processors such as 1.5', text);
  return cpus;
}
