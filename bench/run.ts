import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { busybox } from '../test/images/index.ts';
import { machine } from './lib/machine.ts';
import { measure, ratio, type Sample, median } from './lib/measure.ts';
import { duration, goal, table } from './lib/table.ts';

const ROOT = resolve(import.meta.dirname, '..');
const MIB = 1024;

/**
 * `npm run bench -- run [--pairs N]`: a foreground run of the same small image by `ucp-sandbox run` and by
 * `docker run --rm`, alternating, with a warm control plane; then starts with none, and the memory of an idle one.
 */
export async function run(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({ args: [...args], options: { pairs: { type: 'string', default: '30' } } });
  const state = mkdtempSync(join(tmpdir(), 'ucp-bench-'));
  const env = { ...process.env, UCP_STATE_DIR: state, UCP_CONFIG: join(state, 'config.yaml') };
  try {
    const image = await busybox();
    const ours = (...flags: string[]): void =>
      finished(process.execPath, [join(ROOT, 'bin/ucp-sandbox.js'), 'run', ...flags, image, 'true'], env);
    const docker = (): void => finished('docker', ['run', '--rm', image, 'true'], env);
    const stop = (): void => finished(process.execPath, [join(ROOT, 'bin/ucpd.js'), 'stop'], env);

    const [warm, reference] = await measure(
      [
        { name: 'ucp-sandbox run', run: () => ours() },
        { name: 'docker run --rm', run: docker },
      ],
      { rounds: Number(values.pairs), warmup: 2 },
    );
    if (warm === undefined || reference === undefined) return false;
    const resident = await residentMemory(join(state, 'ucpd.sock'));
    const cold = coldStarts(5, ours, stop);
    console.log(`${machine()}; Docker ${dockerVersion()}; ${values.pairs} pairs\n`);
    console.log(table(['', 'median', 'min', 'p95'], [row(warm), row(reference)]));
    console.log(
      `\nno control plane running: ${duration(median(cold))}   idle ucpd: ${(resident / MIB).toFixed(1)} MiB\n`,
    );
    const fast = goal('ucp-sandbox run : docker run --rm, median of the pairs', ratio(warm, reference), 1.05);
    const small = goal('memory of an idle ucpd', resident / MIB, 80, 'MiB');
    return fast && small;
  } finally {
    spawnSync(process.execPath, [join(ROOT, 'bin/ucpd.js'), 'stop'], { env, stdio: 'ignore' });
    rmSync(state, { recursive: true, force: true });
  }
}

function row({ name, median, min, p95 }: Sample): readonly string[] {
  return [name, duration(median), duration(min), duration(p95)];
}

function finished(program: string, args: readonly string[], env: NodeJS.ProcessEnv): void {
  const { status, stderr } = spawnSync(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${String(stderr)}`);
}

/** Milliseconds of runs that must start the control plane first. */
function coldStarts(rounds: number, ours: () => void, stop: () => void): readonly number[] {
  return Array.from({ length: rounds }, () => {
    stop();
    const start = performance.now();
    ours();
    return performance.now() - start;
  });
}

/** KiB that the control plane at this socket keeps in memory, 5 s after its last run. */
async function residentMemory(socket: string): Promise<number> {
  await new Promise((done) => setTimeout(done, 5_000));
  const pid = await new Promise<number>((found, fail) => {
    const client = createConnection(socket, () => client.write('{"id":1,"op":"hello","params":{"version":1}}\n'));
    client.once('error', fail);
    client.once('data', (data) => {
      client.destroy();
      const reply: { result: { pid: number } } = JSON.parse(data.toString());
      found(reply.result.pid);
    });
  });
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

function dockerVersion(): string {
  return execFileSync('docker', ['version', '--format', '{{.Server.Version}}'], { encoding: 'utf8' }).trim();
}
