import { setTimeout } from 'node:timers/promises';

import { ground } from '../../test/e2e/exec/helpers/ground.ts';
import { kernelOf, kill } from '../../test/e2e/exec/helpers/processes.ts';
import { Site, type Who } from '../../test/e2e/exec/helpers/site.ts';
import { Storm } from '../../test/e2e/exec/helpers/storm.ts';
import { median } from '../lib/measure.ts';
import { goal, table } from '../lib/table.ts';

const GOAL = 1_000;
/** How long nothing may be answered before a round has failed, ms. */
const PATIENCE = 60_000;
/** What an allowed program writes each time; between two of them a denied one was asked about. */
const LINE = 'witness ran\n'.length;

/** What dies, for whom it is measured, and of which processes it consists. */
const DEATHS: readonly (readonly [string, Who, (kernel: Kernel) => readonly number[]])[] = [
  ['the process that decides', 'root', ({ decider }) => [decider]],
  ['all of ucp-kernel', 'root', ({ decider, keeper }) => [decider, keeper]],
  ['all of it where it is a container', 'docker-user', ({ decider, keeper }) => [decider, keeper]],
];
type Kernel = Awaited<ReturnType<typeof kernelOf>>;

/** From the kill until what is asked is answered again, ms: the second allowed program after it comes after an answer. */
async function outage(storm: Storm, pids: readonly number[]): Promise<number> {
  const size = (): number => storm.allowed[0] ?? 0;
  kill(...pids);
  const killed = performance.now();
  const before = size();
  while (size() < before + 2 * LINE) {
    if (performance.now() > killed + PATIENCE) throw new Error(`nothing was answered within ${PATIENCE} ms`);
    await setTimeout(1);
  }
  return performance.now() - killed;
}

/**
 * How long execs wait after a helper's death until another one answers, with an enforced sandbox that executes denied and
 * allowed programs in turns. Goal: 1 s, the worst. Needs root.
 */
export async function takeovers(rounds: number): Promise<boolean> {
  const image = await ground();
  const rows: (readonly [string, number, number])[] = [];
  for (const [what, who, pids] of DEATHS) {
    await using site = await Site.open(who);
    const flags = await site.policy({ remediate: true, deny_list: ['/opt/denied/*'], events: false });
    const storm = await Storm.start(site, image, flags, 1);
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await storm.goesOn();
      times.push(await outage(storm, pids(await kernelOf(site, who))));
    }
    await storm.end();
    rows.push([what, Math.round(median(times)), Math.round(Math.max(...times))]);
  }
  console.log(`${table(['killed: ms until execs are answered', 'median', 'worst'], rows)}\n`);
  return rows.map(([what, , worst]) => goal(`taken over: ${what}`, worst, GOAL, 'ms')).every(Boolean);
}
