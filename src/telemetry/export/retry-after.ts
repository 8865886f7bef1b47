/** A receiver can't silence the export for longer than this, milliseconds. */
const LONGEST = 15 * 60_000;

/** RFC 9110 IMF-fixdate, the one form of a date that senders may generate. */
const DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Milliseconds that a Retry-After header asks for: seconds or an HTTP date (OTLP 1.11). Undefined for what is neither
 * (negative, a fraction, garbage): then the sender's own pause holds.
 */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  const value = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Math.min(Number(value) * 1000, LONGEST);
  if (!DATE.test(value)) return undefined;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.min(Math.max(date - now, 0), LONGEST);
}
