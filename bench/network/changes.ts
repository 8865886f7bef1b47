import { performance } from 'node:perf_hooks';

import type { Network } from '../../src/policy/index.ts';
import { Scene } from '../../test/e2e/network/helpers/scene.ts';
import { median } from '../lib/measure.ts';
import { goal, table } from '../lib/table.ts';
import { bigConfig } from './big-config.ts';

const STARTS = 20;
const UPDATES = 9;
const RULE = { to: ['192.0.2.1/32'], ports: [443] };

/** What a network configuration adds to the start of a sandbox: median of paired runs. Goal: 15 ms. */
export async function starts(): Promise<boolean> {
  await using scene = await Scene.start(() => ({ web: { remediate: true, egress: [RULE] } }));
  const without = async (): Promise<unknown> => scene.host.sandbox(['run', scene.image, 'true']);
  const under = async (): Promise<unknown> => scene.run('web', ['true']);
  await without();
  await under();
  const rounds: { without: number; under: number }[] = [];
  for (let round = 0; round < STARTS; round += 1) {
    rounds.push({ without: await timed(without), under: await timed(under) });
  }
  const rows = [
    `${median(rounds.map((of) => of.without)).toFixed(0)} ms`,
    `${median(rounds.map((of) => of.under)).toFixed(0)} ms`,
  ];
  console.log(table(['`true`, median', 'without', 'under a configuration'], [['a whole run', ...rows]]));
  return goal('a start more', median(rounds.map((of) => of.under - of.without)), 15, 'ms');
}

/**
 * From a new policy to its being in force in a running sandbox, by `ucpd sync`: the policy is read, verified, validated
 * and applied. A configuration of 1,000 names and 10,000 addresses beside one of a single rule. Goal: 100 ms more.
 */
export async function updates(): Promise<boolean> {
  const configs: Readonly<Record<string, (turn: number) => Network>> = {
    'one rule': (turn) => ({ web: { remediate: true, egress: [{ ...RULE, ports: [443 + turn] }] } }),
    'a big one': (turn) => ({ web: bigConfig([{ ...RULE, ports: [443 + turn] }]) }),
  };
  await using scene = await Scene.start(() => ({ web: { remediate: true, egress: [RULE] } }));
  await using _box = await scene.sandbox('web');
  const times = new Map<string, number[]>();
  for (let round = 0; round < UPDATES; round += 1) {
    for (const [name, config] of Object.entries(configs)) {
      await scene.publish(config(round + 1));
      const took = await timed(async () => scene.sync());
      times.set(name, [...(times.get(name) ?? []), took]);
    }
  }
  const middle = (name: string): number => median(times.get(name) ?? []);
  console.log(
    table(
      ['sync', 'median'],
      [...times.keys()].map((name) => [name, `${middle(name).toFixed(0)} ms`]),
    ),
  );
  return goal('an update more', middle('a big one') - middle('one rule'), 100, 'ms');
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
