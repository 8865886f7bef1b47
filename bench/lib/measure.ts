import { performance } from 'node:perf_hooks';

/** A thing to measure: one call is one operation, or `batch` of them. */
export interface Subject {
  readonly name: string;
  /** Runs once before measuring and is not counted. */
  readonly setup?: () => Promise<void> | void;
  /** Operations that one call of `run` makes; 1 unless set. */
  readonly batch?: number;
  readonly run: () => unknown;
}

/** What one subject cost. Times are milliseconds per operation. */
export interface Sample {
  readonly name: string;
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly p95: number;
  /** One value per round, in the order of the rounds: pair them by index with another subject's. */
  readonly rounds: readonly number[];
}

export interface MeasureOptions {
  /** Rounds that count; each measures every subject once. Default 15. */
  readonly rounds?: number;
  /** Rounds before those, not counted. Default 3. */
  readonly warmup?: number;
}

/** The middle value; the mean of the two middle ones for an even count. Throws RangeError for an empty list. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which the share `q` (0…1) of `values` lies, interpolated. Throws RangeError for an empty list. */
function quantile(values: readonly number[], q: number): number {
  if (values.length === 0) throw new RangeError('quantile of no values');
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}

/**
 * Measures subjects beside each other: every round runs each subject once, in an order that turns with the round, so
 * that a machine that gets slower or busier for a while does so for all of them.
 */
export async function measure(subjects: readonly Subject[], options: MeasureOptions = {}): Promise<readonly Sample[]> {
  const { rounds = 15, warmup = 3 } = options;
  const times = subjects.map((): number[] => []);
  for (const subject of subjects) await subject.setup?.();
  for (let round = -warmup; round < rounds; round++) {
    for (let k = 0; k < subjects.length; k++) {
      const index = (k + round + warmup) % subjects.length;
      const subject = subjects[index];
      if (subject === undefined) continue;
      const took = await timed(subject);
      if (round >= 0) times[index]?.push(took);
    }
  }
  return subjects.map((subject, index) => summarise(subject.name, times[index] ?? []));
}

async function timed(subject: Subject): Promise<number> {
  const start = performance.now();
  const result = subject.run();
  if (result instanceof Promise) await result;
  return (performance.now() - start) / (subject.batch ?? 1);
}

function summarise(name: string, rounds: readonly number[]): Sample {
  return {
    name,
    median: median(rounds),
    min: Math.min(...rounds),
    max: Math.max(...rounds),
    p95: quantile(rounds, 0.95),
    rounds,
  };
}

/** How many times `subject` takes what `baseline` takes: the median of the ratios of the paired rounds. */
export function ratio(subject: Sample, baseline: Sample): number {
  return median(subject.rounds.map((time, round) => time / (baseline.rounds[round] ?? Number.NaN)));
}
