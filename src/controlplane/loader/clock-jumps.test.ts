import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { UcpError } from '../../core/errors.ts';
import { silentLogger } from '../../core/ports.ts';
import { ManualClock } from '../../telemetry/testing/manual-clock.ts';
import { builtInPolicy } from '../policy/policies.ts';
import { EventList } from '../testing/event-list.ts';
import { PolicyLoader } from './loader.ts';
import { PolicyStore } from './policy-store.ts';
import { Poller } from './poller.ts';

const HOUR = 3_600_000;

/** A host whose time can be set, while the time that passes goes on as before. */
class SettableClock extends ManualClock {
  #set = 0;

  override now(): number {
    return super.now() + this.#set;
  }

  set(by: number): void {
    this.#set += by;
  }
}

let dir: string;
let clock: SettableClock;
let events: EventList;
let poller: Poller;
let chance: number;
let reachable: boolean;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'cp-jumps-'));
  clock = new SettableClock();
  events = new EventList();
  reachable = true;
  chance = 0.5;
  const source = {
    name: 'fake',
    check: async () => {
      if (reachable) return { newer: false } as const;
      throw new UcpError('POLICY_SOURCE_UNREACHABLE', 'no route');
    },
  };
  const loader = new PolicyLoader({
    source,
    store: new PolicyStore(dir, silentLogger),
    builtIn: builtInPolicy(Buffer.from('{"policy_id":"default","version":0}')),
    clock,
    events,
    logger: silentLogger,
    pin: undefined,
    maxBytes: 1_000_000,
    interval: 300,
    apply: async () => undefined,
  });
  await loader.start();
  poller = new Poller({ loader, clock, events, interval: 300, maxStaleness: 600, random: () => chance });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const stale = (): number => events.actions.filter((action) => action === 'policy_stale').length;

test.each([-24 * HOUR, 24 * HOUR])(
  'a clock that is set by %i ms makes no policy stale, and hides none that is',
  async (by) => {
    await poller.check();
    clock.set(by);
    reachable = false;
    await poller.check();
    expect(stale()).toBe(0);
    clock.advance(300_000);
    expect(stale()).toBe(0);
    clock.advance(301_000);
    await poller.check();
    expect(stale()).toBe(1);
    expect(events.events.find(({ body }) => body['reason'] === 'unchecked')?.body).toMatchObject({
      since: new Date(clock.now() - 601_000).toISOString(),
    });
  },
);

test.each([-24 * HOUR, 24 * HOUR])('a clock that is set by %i ms moves no check', async (by) => {
  await poller.check();
  clock.set(by);
  expect(clock.next).toBe(300_000);
  clock.advance(300_000);
  await poller.check();
  expect(events.actions.filter((action) => action === 'policy_download_attempt')).toHaveLength(3);
});

test.each([
  [0, 270_000],
  [0.5, 300_000],
  [1, 330_000],
])('checks are spread: of a chance of %d the next one is in %d ms', async (given, expected) => {
  chance = given;
  await poller.check();
  expect(clock.next).toBeCloseTo(expected);
});
