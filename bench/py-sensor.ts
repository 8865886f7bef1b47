import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { execa } from 'execa';

import { compileSensorPolicy } from '../src/policy/sensor-file/compile.ts';
import type { Policy } from '../src/policy/index.ts';
import { machine } from './lib/machine.ts';
import { median } from './lib/measure.ts';
import { goal, table } from './lib/table.ts';

const ROOT = join(import.meta.dirname, '..');
const PROGRAMS = join(ROOT, 'sensors/python/tests/programs');
const ROUNDS = 15;

const POLICY: Policy = {
  policy_id: 'bench',
  version: 1,
  python_sensor: {
    remediate: true,
    mcp: {
      client: { tools: { '*': { deny_list: ['denied_*'] } } },
      server: { tools: { '*': { deny_list: Array.from({ length: 100 }, (_, index) => `denied_${index}`) } } },
    },
  },
  llm: {},
};

type Env = Readonly<Record<string, string>>;

const python = (venv: string): string => join(ROOT, '.cache/python', venv, 'bin/python');

/** A Python program that answers one line to each line. */
async function start(venv: string, args: readonly string[], env: Env) {
  const child = execa(python(venv), [join(PROGRAMS, 'bench.py'), ...args], {
    extendEnv: false,
    reject: false,
    buffer: false,
    stdin: 'pipe',
    stderr: 'ignore',
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => JSON.parse(String((await lines.next()).value)) as unknown;
  await next();
  return {
    ask: async (command: string): Promise<number> => {
      child.stdin.write(`${command}\n`);
      return Number(await next());
    },
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await child;
    },
  };
}

/** Milliseconds without and with the sensor, in pairs: two programs at once, asked in turn. */
async function pairs(venv: string, args: readonly string[], command: string, env: Env): Promise<[number, number][]> {
  await using plain = await start(venv, args, {});
  await using watched = await start(venv, args, env);
  const found: [number, number][] = [];
  for (let round = -3; round < ROUNDS; round++) {
    const pair: [number, number] = [await plain.ask(command), await watched.ask(command)];
    if (round >= 0) found.push(pair);
  }
  return found;
}

const SHOW_MEMORY = "print(next(l.split()[1] for l in open('/proc/self/status') if l.startswith('VmHWM')))";

/** Milliseconds of a start, and KiB of memory at its end. */
function startUp(env: Env): readonly [number, number] {
  const since = performance.now();
  const done = spawnSync(python('llm'), ['-c', SHOW_MEMORY], { env: { ...env }, encoding: 'utf8' });
  return [performance.now() - since, Number(done.stdout)];
}

function ratioOf(found: readonly [number, number][]): number {
  return median(found.map(([plain, watched]) => watched / plain));
}

/** `npm run bench -- py-sensor`: what the Python sensor costs. Wants scripts/setup-python.sh to have run. */
export async function run(): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), 'ucp-bench-'));
  const socket = join(directory, 's.sock');
  const plane = createServer((connection) => connection.resume());
  await new Promise<void>((resolve) => plane.listen(socket, resolve));
  const file = join(directory, 'policy.json');
  const reference = { policy_id: 'bench', version: 1, digest: 'sha256:0', generation: 1 };
  writeFileSync(file, JSON.stringify(compileSensorPolicy(POLICY, reference)));
  const site = join(ROOT, 'sensors/python/site');
  const env = { PYTHONPATH: site, UCP_POLICY_FILE: file, UCP_SENSOR_SOCKET: socket };
  const vendor = execa(python('tools'), [join(PROGRAMS, '../model_vendor.py')], { reject: false, buffer: false });
  const vendorLines = createInterface({ input: vendor.stdout })[Symbol.asyncIterator]();
  const address = String((await vendorLines.next()).value);
  try {
    console.log(`${machine()}, ${execFileSync(python('llm'), ['--version'], { encoding: 'utf8' }).trim()}`);
    const measured = {
      memory: await pairs('mcp2', ['mcp'], 'memory 100', env),
      stdio: await pairs('mcp2', ['mcp'], 'stdio 100', env),
      llm: await pairs('llm', ['llm', address], 'call 30', env),
      stream: await pairs('llm', ['llm', address], 'stream 15', env),
    };
    const rows = Object.entries(measured).map(([name, found]) => [
      name,
      ...[0, 1].map((side) => `${median(found.map((pair) => pair[side] ?? Number.NaN)).toFixed(3)} ms`),
    ]);
    console.log(table(['what', 'without', 'with'], rows));
    const starts = Array.from({ length: ROUNDS }, () => [startUp({}), startUp(env)] as const);
    const reached = [
      goal('MCP tools/call over stdio', ratioOf(measured.stdio), 1.05),
      goal('LLM call', ratioOf(measured.llm), 1.02),
      goal('first streamed token', median(measured.stream.map(([plain, watched]) => watched - plain)), 1, 'ms more'),
      goal('import', median(starts.map(([plain, watched]) => watched[0] - plain[0])), 30, 'ms more'),
      goal('memory', median(starts.map(([plain, watched]) => (watched[1] - plain[1]) / 1024)), 8, 'MiB more'),
    ];
    return reached.every(Boolean);
  } finally {
    vendor.kill();
    await vendor;
    plane.close();
    rmSync(directory, { recursive: true });
  }
}
