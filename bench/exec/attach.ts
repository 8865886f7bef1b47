import { performance } from 'node:perf_hooks';

import { Containers } from '../../test/e2e/kernel/containers.ts';
import { KernelHelper, policy, sources } from '../../test/e2e/kernel/helper.ts';
import { median } from '../lib/measure.ts';

/** Milliseconds of `attach` alone, as its client sees it: each time a new container of the image. The release build. */
export async function attachTimes(
  image: string,
  program: string,
  globs: readonly string[],
  rounds: number,
): Promise<number> {
  await using containers = new Containers(image);
  await using helper = await KernelHelper.start(program);
  const kernel = await helper.hello();
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { pid } = await containers.start();
    const begin = performance.now();
    await kernel.accepted({ type: 'attach', sandbox: `box-${round}`, pid, ...policy({ deny: sources(...globs) }) });
    times.push(performance.now() - begin);
  }
  return median(times);
}
