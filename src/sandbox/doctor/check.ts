/** One thing that was looked at, and what to do about it. */
export interface Check {
  readonly id: string;
  readonly state: 'ok' | 'warn' | 'fail' | 'skip';
  readonly reason: string;
  /** What makes it right; for `warn` and `fail`. */
  readonly fix?: string;
}

/** A check that is passed. */
export function ok(id: string, reason: string): Check {
  return { id, state: 'ok', reason };
}

/** -1, 0 or 1: which of two versions of dotted numbers is the lower one; what follows the numbers is ignored. */
export function compareVersions(one: string, two: string): number {
  const [a, b] = [one, two].map((text) => (/\d+(?:\.\d+)*/.exec(text)?.[0] ?? '0').split('.').map(Number));
  for (let at = 0; at < Math.max(a?.length ?? 0, b?.length ?? 0); at++) {
    const difference = (a?.[at] ?? 0) - (b?.[at] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}
