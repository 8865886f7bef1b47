import { readdirSync } from 'node:fs';

interface Benchmark {
  run(args: readonly string[]): Promise<boolean>;
}

function isBenchmark(module: unknown): module is Benchmark {
  return typeof module === 'object' && module !== null && 'run' in module && typeof module.run === 'function';
}

/** `npm run bench -- NAME [ARGS]` runs the `run` function of bench/NAME.ts. */
async function main(): Promise<number> {
  const [name, ...args] = process.argv.slice(2);
  const names = readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.ts') && file !== 'main.ts')
    .map((file) => file.slice(0, -3));
  if (name === undefined || !names.includes(name)) {
    console.error(`Expected the name of a benchmark, got ${name ?? 'nothing'}. There are: ${names.join(', ')}.`);
    return 2;
  }
  const benchmark: unknown = await import(`./${name}.ts`);
  if (!isBenchmark(benchmark)) {
    console.error(`bench/${name}.ts has no function run(args) that says whether its goals were reached.`);
    return 2;
  }
  return (await benchmark.run(args)) ? 0 : 1;
}

process.exitCode = await main();
