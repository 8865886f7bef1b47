import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';

import { docker } from '../test/e2e/helpers/docker.ts';
import { Site } from '../test/e2e/exec/helpers/site.ts';
import { attachTimes } from './exec/attach.ts';
import { BUILD, project, TOOLS } from './exec/build.ts';
import { spawners } from './exec/image.ts';
import { takeovers } from './exec/takeover.ts';
import { machine } from './lib/machine.ts';
import { memoryOf } from './lib/memory.ts';
import { median } from './lib/measure.ts';
import { duration, goal, table } from './lib/table.ts';

const RULES = ['/usr/bin/{curl,wget}', '**/ncat', '/tmp/**', '/var/tmp/**', '/home/*/bin/*', '**/*.sh'];
/** Deciding alone: what telling of every process costs is for bench/process-events.ts. */
const MODES = {
  off: undefined,
  observe: { remediate: false, deny_list: RULES, events: false },
  enforce: { remediate: true, deny_list: RULES, events: false },
} as const;
type Mode = keyof typeof MODES;

/** What is timed in a sandbox: `spawn` says nanoseconds itself, the script is timed from outside. */
const TASKS = {
  'spawn one program, again and again': '/opt/spawn 300 /opt/nothing',
  'spawn each of 400 programs once': '/opt/spawn 1 /opt/first/*',
  'a script of 600 applets': 'sh /opt/script',
} as const;

/**
 * `npm run bench -- exec [--rounds N] [takeover]`: execs in sandboxes with the kernel sensor off, observing and enforcing,
 * side by side; what a start costs; the memory of the helper; how soon a dead one is replaced, or that alone. Needs root.
 */
export async function run(args: readonly string[]): Promise<boolean> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { rounds: { type: 'string', default: '9' } },
    allowPositionals: true,
  });
  if (positionals[0] === 'takeover') {
    console.log(`${machine()}; ${values.rounds} rounds\n`);
    return takeovers(Number(values.rounds));
  }
  const image = await spawners();
  await using site = await Site.open('root');
  const flags = new Map<Mode, readonly string[]>();
  for (const [mode, exec] of Object.entries(MODES)) flags.set(mode as Mode, await site.policy(exec ?? {}));
  console.log(`${machine()}; ${values.rounds} rounds\n`);
  const ratios = await execs(site, image, flags, Number(values.rounds));
  await starts(site, image, flags, Number(values.rounds));
  const reached = await memory(site, image);
  const helper = resolve(import.meta.dirname, '../dist/native/helper/ucp-kernel');
  const attach = await attachTimes(image, helper, RULES, Number(values.rounds));
  await denials(site, image, Number(values.rounds));
  const built = await builds(site, flags, Number(values.rounds));
  return [
    goal('attach alone', attach, 10, 'ms'),
    goal('enforce, a build with make -j2', built, 1.03),
    goal('enforce, the same program again', ratios[0] ?? Number.NaN, 1.02),
    goal('enforce, first executions', ratios[1] ?? Number.NaN, 1.15),
    goal('enforce, a script of applets', ratios[2] ?? Number.NaN, 1.03),
    reached,
    await takeovers(Number(values.rounds)),
  ].every(Boolean);
}

type Flags = ReadonlyMap<Mode, readonly string[]>;

/** Each round has a new sandbox for each mode, so that nothing has been executed there before. */
async function execs(site: Site, image: string, flags: Flags, rounds: number): Promise<readonly number[]> {
  const modes = Object.keys(MODES) as Mode[];
  const tasks = Object.keys(TASKS) as (keyof typeof TASKS)[];
  const times = new Map<string, number[]>();
  for (let round = 0; round < rounds; round += 1) {
    const boxes = new Map<Mode, string>();
    for (const mode of modes) boxes.set(mode, await site.start(image, flags.get(mode) ?? []));
    for (const task of tasks.flatMap((name) => Array.from({ length: AGAIN[name] }, () => name))) {
      for (let turn = 0; turn < modes.length; turn += 1) {
        const mode = modes[(turn + round) % modes.length] ?? 'off';
        const key = `${task} ${mode}`;
        times.set(key, [...(times.get(key) ?? []), await timed(boxes.get(mode) ?? '', task)]);
      }
    }
    for (const box of boxes.values()) await site.remove(box);
  }
  const of = (task: string, mode: Mode): readonly number[] => times.get(`${task} ${mode}`) ?? [];
  const ratio = (task: string, mode: Mode): number =>
    median(of(task, mode).map((time, round) => time / (of(task, 'off')[round] ?? Number.NaN)));
  const rows = tasks.map((task) => [
    task,
    ...modes.map((mode) => duration(median(of(task, mode)))),
    ...(['observe', 'enforce'] as const).map((mode) => ratio(task, mode).toFixed(3)),
  ]);
  console.log(`${table(['', ...modes, 'observe ÷ off', 'enforce ÷ off'], rows)}\n`);
  return tasks.map((task) => ratio(task, 'enforce'));
}

/** Milliseconds of one task: as it says itself, or of all of it. */
async function timed(box: string, task: keyof typeof TASKS): Promise<number> {
  const begin = performance.now();
  const ran = await docker('exec', box, 'sh', '-c', TASKS[task]);
  const whole = performance.now() - begin;
  if (ran.exitCode !== 0) throw new Error(ran.stderr);
  return task.startsWith('spawn') ? Number(ran.stdout) / 1e6 : whole;
}

/** How often a task is timed in one sandbox; a first execution is one only once. */
const AGAIN = {
  'spawn one program, again and again': 10,
  'spawn each of 400 programs once': 1,
  'a script of 600 applets': 2,
} as const;

/** Time of a build by the host's compiler, enforced by off, in pairs. */
async function builds(site: Site, flags: Flags, rounds: number): Promise<number> {
  const image = await project();
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const times = new Map<Mode, number>();
    for (const mode of round % 2 === 0 ? (['off', 'enforce'] as const) : (['enforce', 'off'] as const)) {
      const box = await site.start(image, [...(flags.get(mode) ?? []), ...TOOLS]);
      const begin = performance.now();
      const ran = await docker('exec', box, 'sh', '-c', BUILD);
      times.set(mode, performance.now() - begin);
      await site.remove(box);
      if (ran.exitCode !== 0) throw new Error(ran.stderr);
    }
    ratios.push((times.get('enforce') ?? Number.NaN) / (times.get('off') ?? Number.NaN));
  }
  return median(ratios);
}

/** How many denied execs a second the helper answers and counts. */
async function denials(site: Site, image: string, rounds: number): Promise<void> {
  const box = await site.start(image, await site.policy({ remediate: true, deny_list: ['/opt/nothing'] }));
  const rates: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { stdout } = await docker('exec', box, '/opt/attack', 'flood', '/opt/nothing');
    const [count = Number.NaN, nanoseconds = Number.NaN] = stdout.split(' ').map(Number);
    rates.push((count * 1e9) / nanoseconds);
  }
  await site.remove(box);
  console.log(`${Math.round(median(rates))} denied execs a second\n`);
}

/** What the sensor adds to a run: the helper lives already. */
async function starts(site: Site, image: string, flags: Flags, rounds: number): Promise<void> {
  const times: Record<Mode, number[]> = { off: [], observe: [], enforce: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const mode of Object.keys(MODES) as Mode[]) {
      const begin = performance.now();
      await site.run('ucp-sandbox', ['run', ...(flags.get(mode) ?? []), image, 'true']);
      times[mode].push(performance.now() - begin);
    }
  }
  const added = (mode: Mode): number => median(times[mode].map((time, round) => time - (times.off[round] ?? 0)));
  console.log(
    `a run takes ${duration(median(times.off))} without rules, ${duration(Math.max(0, added('observe')))} more to observe, ${duration(Math.max(0, added('enforce')))} more to enforce (three trials among it)\n`,
  );
}

/** Proportional set size of keeper and decider, with one rule and with many, in MiB. */
async function memory(site: Site, image: string): Promise<boolean> {
  const many = 5_000;
  const few = await site.start(image, await site.policy(MODES.enforce));
  const before = helperMemory(site);
  const globs = Array.from({ length: many }, (_, at) => `/srv/app-${at}/**/bin/*`);
  const more = await site.start(image, await site.policy({ remediate: true, deny_list: globs }));
  const after = helperMemory(site);
  for (const box of [few, more]) await site.remove(box);
  const each = ((after - before) * 1024) / many;
  console.log(`helper: ${before.toFixed(1)} MiB, ${each.toFixed(2)} KiB more a rule\n`);
  return [goal('helper with few rules', before, 10, 'MiB'), goal('each rule', each, 1, 'KiB')].every(Boolean);
}

function helperMemory(site: Site): number {
  const { pid } = JSON.parse(readFileSync(join(site.dir, 's/helper/ucp-kernel.json'), 'utf8')) as { pid: number };
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return [pid, ...children.map(Number)].reduce((sum, process) => sum + memoryOf(process), 0);
}
