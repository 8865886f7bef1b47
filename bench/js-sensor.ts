import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { execa } from 'execa';

import type { JsonObject } from '../src/core/json.ts';
import { Collector } from '../test/e2e/js-sensor/helpers/collector.ts';
import { nodeBinary, program, type PackageSet } from '../test/e2e/js-sensor/helpers/packages.ts';
import { writePolicy } from '../test/e2e/js-sensor/helpers/policy.ts';
import { PRELOAD } from '../test/e2e/js-sensor/helpers/run.ts';
import { machine } from './lib/machine.ts';
import { median } from './lib/measure.ts';
import { goal, table } from './lib/table.ts';

const ROUNDS = 15;
const MIB = 2 ** 20;

/** A policy whose deny lists have `count` names, both sides, all runtime events on. */
function policyOf(count: number): JsonObject {
  const deny_list = Array.from({ length: count }, (_, index) => `denied_${index}`);
  const side: JsonObject = count === 0 ? {} : { tools: { '*': { deny_list } } };
  return { js_sensor: { remediate: true, mcp: { client: side, server: side } } };
}

/** A program that answers one line to each line; `env` decides whether it has the sensor. */
async function start(argv: readonly string[], env: Readonly<Record<string, string>>) {
  const flags = env['UCP_POLICY_FILE'] === undefined ? [] : ['--import', PRELOAD];
  // A young generation of one size: how far it grows is chance, and would be all that is measured of memory.
  const heap = ['--expose-gc', '--min-semi-space-size=16', '--max-semi-space-size=16'];
  const child = execa(process.execPath, [...heap, ...flags, ...argv], {
    extendEnv: false,
    reject: false,
    buffer: false,
    stdin: 'pipe',
    stderr: 'inherit',
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => JSON.parse(String((await lines.next()).value)) as unknown;
  await next();
  return {
    ask: async <Answer>(command: string): Promise<Answer> => {
      child.stdin.write(`${command}\n`);
      return (await next()) as Answer;
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await child;
    },
  };
}

/** What the sensor needs to be found, with `rules` in its policy. */
function environment(collector: Collector, rules: number): Record<string, string> {
  const file = join(collector.directory, `policy-${rules}.json`);
  writePolicy(file, policyOf(rules));
  return { UCP_POLICY_FILE: file, UCP_SENSOR_SOCKET: collector.socket };
}

/** Milliseconds of processor time per call without and with the sensor (over stdio: of the client): two programs at once, measured in turn, compared in pairs. */
async function callsRow(
  collector: Collector,
  [sdk, via, rules]: readonly [PackageSet, string, number],
): Promise<{ readonly row: readonly (string | number)[]; readonly ratio: number }> {
  const argv = [await program(sdk, 'bench.mjs'), sdk, via];
  await using plain = await start(argv, {});
  await using watched = await start(argv, environment(collector, rules));
  const batch = via === 'stdio' ? 500 : 2000;
  const pairs: [number, number][] = [];
  for (let round = -3; round < ROUNDS; round++) {
    const pair: [number, number] = [await plain.ask(`calls ${batch}`), await watched.ask(`calls ${batch}`)];
    if (round >= 0) pairs.push(pair);
  }
  const ratio = median(pairs.map(([without, having]) => having / without));
  const micro = (index: 0 | 1): string => (median(pairs.map((pair) => pair[index])) * 1000).toFixed(1);
  return { row: [sdk, via, rules, micro(0), micro(1), ratio.toFixed(3)], ratio };
}

/** Milliseconds of processor time that the preload adds to an empty program. */
async function startup(collector: Collector, major: 20 | 22 | 24 | 26): Promise<number> {
  const node = await nodeBinary(major);
  const env = environment(collector, 10);
  const source = 'const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)';
  const time = (flags: readonly string[]): number =>
    Number(spawnSync(node, [...flags, '-e', source], { env }).stdout.toString());
  time([]);
  return median(Array.from({ length: 20 }, () => -time([]) + time(['--require', PRELOAD])));
}

interface Memory {
  readonly rss: number;
  readonly heap: number;
}

/** A program that has made `calls` calls, with the sensor (`env`) or without it. */
async function caller(env: Readonly<Record<string, string>>, calls: number) {
  const running = await start([await program('v1', 'bench.mjs'), 'v1', 'memory'], env);
  await running.ask(`calls ${calls}`);
  return running;
}

/** MiB that the sensor adds to what is resident after so many calls: how far V8 grows is chance, so the median of pairs. */
async function resident(env: Readonly<Record<string, string>>, calls: number): Promise<number> {
  const added: number[] = [];
  for (let round = 0; round < 7; round++) {
    await using plain = await caller({}, calls);
    await using watched = await caller(env, calls);
    added.push((await watched.ask<Memory>('memory')).rss - (await plain.ask<Memory>('memory')).rss);
  }
  return median(added) / MIB;
}

async function memory(collector: Collector): Promise<boolean[]> {
  const env = environment(collector, 10);
  const early = await resident(env, 100);
  const late = await resident(env, 8000);
  await using plain = await caller({}, 8000); // until the young generation has its size
  await using watched = await caller(env, 8000);
  const before = (await watched.ask<Memory>('memory')).heap;
  await watched.ask('calls 10000');
  const grown = (await watched.ask<Memory>('memory')).heap - before;
  const peaks = [await plain.ask<number>(`big ${50 * MIB}`), await watched.ask<number>(`big ${50 * MIB}`)];
  return [
    goal('resident memory after 100 calls', early, 6, 'MiB'),
    goal('resident memory after 8,000 calls', late, 6, 'MiB'),
    goal('heap grown by 10,000 calls', grown / MIB, 0.5, 'MiB'),
    goal('peak with a 50 MiB result', (peaks[1] ?? 0) / (peaks[0] ?? 1), 1.1),
  ];
}

/** `npm run bench -- js-sensor`: what the JavaScript sensor costs. */
export async function run(): Promise<boolean> {
  console.log(machine());
  await using collector = await Collector.listening();
  const goals: boolean[] = [];
  const rows: (readonly (string | number)[])[] = [];
  const subjects = (['v1', 'v2'] as const).flatMap((sdk) =>
    ['memory', 'stdio'].flatMap((via) => [0, 10, 10_000].map((rules) => [sdk, via, rules] as const)),
  );
  const ratios: [string, number][] = [];
  for (const subject of subjects) {
    const { row, ratio } = await callsRow(collector, subject);
    rows.push(row);
    ratios.push([`tools/call ${subject.join(' ')}`, ratio]);
  }
  console.log(table(['SDK', 'via', 'rules', 'without, µs', 'with, µs', 'ratio'], rows));
  for (const [what, ratio] of ratios) goals.push(goal(what, ratio, 1.05));
  for (const major of [20, 22, 24, 26] as const) {
    const added = await startup(collector, major);
    if (major === 24) goals.push(goal('preload on Node 24', added, 15, 'ms'));
    else console.log(`     preload on Node ${major}: ${added.toFixed(1)} ms`);
  }
  goals.push(...(await memory(collector)));
  return goals.every(Boolean);
}
