import { availableParallelism, cpus, release, totalmem } from 'node:os';

/** One line on the machine that measured, without names: figures mean little without it. */
export function machine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${availableParallelism()} × ${model}, ${memory} GiB, Linux ${release()}, Node ${process.versions.node}`;
}
