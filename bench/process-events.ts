import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';

import { Site } from '../test/e2e/exec/helpers/site.ts';
import { docker, until } from '../test/e2e/helpers/docker.ts';
import { spawners } from './exec/image.ts';
import { machine } from './lib/machine.ts';
import { median } from './lib/measure.ts';
import { duration, table } from './lib/table.ts';

const MODES = { off: { events: false }, on: { events: true } } as const;
type Mode = keyof typeof MODES;
const BOTH: readonly Mode[] = ['off', 'on'];

/** Each is timed from outside; a build is mostly a shell that starts short programs. */
const TASKS = {
  'a script of 600 applets, as a configure script is': ['sh', '/opt/script'],
  'a loop of 3000 spawns of a program that does nothing': ['/opt/spawn', '3000', '/opt/nothing'],
} as const;

/**
 * `npm run bench -- process-events [--rounds N]`: work in two sandboxes of one control plane, one with process events
 * and one without, in turns; what was told and what was lost. Needs root.
 */
export async function run(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({ args: [...args], options: { rounds: { type: 'string', default: '9' } } });
  const image = await spawners();
  await using site = await Site.open('root');
  const boxes = new Map<Mode, string>();
  for (const mode of BOTH) boxes.set(mode, await site.start(image, await site.policy(MODES[mode])));
  console.log(`${machine()}; ${values.rounds} rounds\n`);
  const rows: string[][] = [];
  for (const [name, command] of Object.entries(TASKS)) {
    const times: Record<Mode, number[]> = { off: [], on: [] };
    for (let round = 0; round < Number(values.rounds); round += 1) {
      // Neither is always the first.
      const order = round % 2 === 0 ? BOTH : BOTH.toReversed();
      for (const mode of order) times[mode].push(await timed(boxes.get(mode) ?? '', command));
    }
    const ratios = times.on.map((time, round) => time / (times.off[round] ?? Number.NaN));
    rows.push([name, duration(median(times.off)), duration(median(times.on)), `${median(ratios).toFixed(2)} ×`]);
  }
  console.log(table(['work', 'without events', 'with events', 'median of paired ratios'], rows));
  const whole = await counted(site, boxes.get('on') ?? '');
  for (const box of boxes.values()) await site.remove(box);
  return whole;
}

async function timed(box: string, command: readonly string[]): Promise<number> {
  const start = performance.now();
  const ran = await docker('exec', box, ...command);
  if (ran.exitCode !== 0) throw new Error(ran.stderr);
  return performance.now() - start;
}

const isLast = ({ body }: { body: Readonly<Record<string, unknown>> }): boolean =>
  JSON.stringify(body['argv']).includes('the-last-one');

/** True when nothing was lost. The last event of all is that of a program with a name of its own. */
async function counted(site: Site, box: string): Promise<boolean> {
  await docker('exec', box, 'echo', 'the-last-one');
  const told = (): ReturnType<Site['events']> => site.events('process_exec');
  await until('the last event', async () => (await told()).some(isLast), 120_000);
  const execs = (await told()).reduce((sum, { body }) => sum + Number(body['count']), 0);
  const losses = await site.events('sensor_events_lost');
  const lost = losses.reduce((sum, { body }) => sum + Number(body['lost'] ?? 0), 0);
  console.log(`\n${execs} execs in ${(await told()).length} events; ${lost} lost (${losses.length} reports)`);
  return lost === 0;
}
