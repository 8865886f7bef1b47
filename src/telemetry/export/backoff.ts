const FIRST = 1000;
const LONGEST = 60_000;

/**
 * Milliseconds before the next attempt after `failures` (1, 2, …) in a row: uniformly between one second and a
 * ceiling that doubles up to a minute, so that many hosts don't come back together. What the receiver asked for is
 * a floor, with the same spread on top.
 */
export function backoff(failures: number, asked: number | undefined, random: () => number): number {
  const ceiling = Math.min(FIRST * 2 ** Math.min(failures, 16), LONGEST);
  const pause = FIRST + random() * (ceiling - FIRST);
  return asked === undefined ? pause : Math.max(pause, asked + random() * FIRST);
}
