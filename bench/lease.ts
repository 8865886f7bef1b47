import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';

import { until } from '../test/e2e/helpers/docker.ts';
import { TestHost } from '../test/e2e/helpers/host.ts';
import { busybox } from '../test/images/index.ts';
import { machine } from './lib/machine.ts';
import { median } from './lib/measure.ts';
import { duration, goal, table } from './lib/table.ts';

const SERVERS = {
  'ends at the end of input': 'echo up; cat >/dev/null',
  'ignores it, TERM and HUP': 'trap "" TERM HUP INT; echo up; while :; do read x || sleep 1; done',
} as const;

/**
 * `npm run bench -- lease [--rounds N]`: from the SIGKILL of a front end to the moment at which neither its container
 * nor its directory exists, for a server that is polite and one that is not.
 */
export async function run(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({ args: [...args], options: { rounds: { type: 'string', default: '10' } } });
  const image = await busybox();
  await using host = new TestHost();
  const gone = async (): Promise<boolean> => (await host.containers()).length === 0 && host.sandboxDirs().length === 0;
  const rows: (readonly string[])[] = [];
  let worst = 0;
  for (const [server, script] of Object.entries(SERVERS)) {
    const times: number[] = [];
    for (let round = 0; round < Number(values.rounds); round += 1) {
      const child = host.spawn(['run', '-i', image, 'sh', '-c', script], { buffer: false });
      await new Promise((resolve) => child.stdout?.once('data', resolve));
      const start = performance.now();
      child.kill('SIGKILL');
      await until('nothing left', gone);
      times.push(performance.now() - start);
      await child;
    }
    worst = Math.max(worst, ...times);
    rows.push([server, duration(median(times)), duration(Math.max(...times))]);
  }
  console.log(`${machine()}; ${values.rounds} rounds each\n`);
  console.log(table(['a server that', 'median', 'longest'], rows));
  return goal('longest time until nothing is left', worst / 1000, 2, 's');
}
