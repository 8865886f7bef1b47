import { badValue } from './usage.ts';

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** `--since`: seconds of the epoch, from `90s`, `10m`, `2h`, `1d` before `now` (ms), or a date. */
export function parseSince(text: string, now: number): number {
  const [, amount = '', unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? [];
  if (amount !== '') return Math.floor(now / 1000) - Number(amount) * (SECONDS[unit] ?? 1);
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw badValue('since', 'a time span such as 10m, or a date', text);
  return Math.floor(at / 1000);
}
