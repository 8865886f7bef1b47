import { afterAll, beforeAll, describe, expect } from 'vitest';

import { until } from '../helpers/docker.ts';
import { verifies } from '../helpers/verifies.ts';
import type { KernelConnection, Message } from '../kernel/connection.ts';
import { type Container, Containers } from '../kernel/containers.ts';
import { witnesses } from '../kernel/image.ts';
import { TraceHelper } from './helper.ts';

/** More than there is room for on either way, with arguments as long as they are told, which JSON makes longer. */
const EXECS = 1_150;
const LONG = 4_000;

type Counters = Readonly<Record<'execs' | 'exits' | 'lostByKernel' | 'lostByClient', number>>;

const happened = ({ execs, exits, lostByKernel }: Counters): number => execs + exits + lostByKernel;
const sum = (events: readonly Message[]): number =>
  events.filter(({ sandbox }) => sandbox === 'box').reduce((all, { count }) => all + Number(count), 0);

describe('process events that there is no room for', () => {
  let helper: TraceHelper;
  let containers: Containers;
  let box: Container;
  let trace: KernelConnection;
  /** Execs and ends of the workload, as they are counted when nothing is lost. */
  let usual: number;

  beforeAll(async () => {
    helper = await TraceHelper.start();
    containers = new Containers(await witnesses());
    box = await containers.start();
    trace = await helper.hello();
    await trace.accepted({ type: 'attach', sandbox: 'box', pid: box.pid });
    usual = await workload(1);
  });
  afterAll(async () => {
    trace.close();
    await containers[Symbol.asyncDispose]();
    await helper[Symbol.asyncDispose]();
  });

  const counters = async (): Promise<Counters> =>
    (await trace.accepted({ type: 'counters', sandbox: 'box' })) as unknown as Counters;
  const lost = (reason: string): number => sum(trace.events.filter((event) => event['reason'] === reason));

  const execute = async (length: number): Promise<void> => {
    const argument = `a=$(head -c ${length} /dev/zero | tr '\\0' '\\001')`;
    const { exitCode } = await box.sh(
      `${argument}; i=0; while [ $i -lt ${EXECS} ]; do /bin/true $i$a; i=$((i+1)); done`,
    );
    expect(exitCode).toBe(0);
  };
  /** Executes with one argument of this length; how many execs and ends that was. */
  const workload = async (length: number, during = (work: () => Promise<void>) => work()): Promise<number> => {
    const before = await counters();
    await during(() => execute(length));
    return happened(await counters()) - happened(before);
  };
  const addsUp = async (): Promise<void> => {
    const all = happened(await counters());
    await until(`${all} told or lost`, () => sum(trace.events) >= all);
    expect(sum(trace.events)).toBe(all);
  };

  verifies(['EX-26'], 'are none in general', async () => {
    expect(usual).toBeGreaterThan(2 * EXECS);
    await addsUp();
    expect(await counters()).toMatchObject({ lostByKernel: 0, lostByClient: 0 });
  });

  verifies(['EX-26'], 'between kernel and helper are counted, each one', async () => {
    expect(await workload(LONG, (work) => helper.whileStopped(work))).toBe(usual);
    await addsUp();
    const { lostByKernel } = await counters();
    expect(lostByKernel).toBeGreaterThan(0);
    expect(lost('kernel')).toBe(lostByKernel);
  });

  verifies(['EX-26'], 'between helper and control plane are counted, each one', async () => {
    await trace.withoutReading(() => execute(LONG));
    await addsUp();
    const { lostByClient } = await counters();
    expect(lostByClient).toBeGreaterThan(0);
    expect(lost('client')).toBe(lostByClient);
  });
});
