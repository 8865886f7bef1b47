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

const small = (turn: number): Network => ({ web: { remediate: true, egress: [{ ...RULE, ports: [443 + turn] }] } });
const big = (turn: number): Network => ({ web: bigConfig([{ ...RULE, ports: [443 + turn] }]) });

/**
 * From a new policy to its being in force in a running sandbox, by `ucpd sync`: the policy is read, verified, validated
 * and applied. Beside a configuration of a single rule: one of 1,000 names and 10,000 addresses of which one rule changes,
 * and one that is put in force or taken away as a whole. Goal: 100 ms more.
 */
export async function updates(): Promise<boolean> {
  await using scene = await Scene.start(() => ({ web: { remediate: true, egress: [RULE] } }));
  await using _box = await scene.sandbox('web');
  const times = new Map<string, number[]>();
  const publish = async (name: string, network: Network): Promise<void> => {
    await scene.publish(network);
    times.set(name, [...(times.get(name) ?? []), await timed(async () => scene.sync())]);
  };
  for (let round = 0; round < UPDATES; round += 1) {
    const turn = round * 4 + 1;
    await publish('big to one rule', small(turn));
    await publish('one rule', small(turn + 1));
    await publish('one rule to big', big(turn + 2));
    await publish('one rule of a big one', big(turn + 3));
  }
  const middle = (name: string): number => median(times.get(name) ?? []);
  console.log(
    table(
      ['sync', 'median'],
      [...times.keys()].map((name) => [name, `${middle(name).toFixed(0)} ms`]),
    ),
  );
  return ['one rule of a big one', 'one rule to big']
    .map((name) => goal(`an update more, ${name}`, middle(name) - middle('one rule'), 100, 'ms'))
    .every(Boolean);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
