import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { until } from '../helpers/docker.ts';
import type { KernelConnection, Message } from './connection.ts';
import { Containers, type Container } from './containers.ts';
import { KernelHelper, policy, sources } from './helper.ts';
import { witnesses } from './image.ts';
import { Storm } from './storm.ts';

const counted = (events: readonly Message[]): number =>
  events.reduce((sum, event) => sum + (typeof event['count'] === 'number' ? event['count'] : 0), 0);

describe('what the helper tells of violations', () => {
  let helper: KernelHelper;
  let containers: Containers;
  let kernel: KernelConnection;

  beforeAll(async () => {
    containers = new Containers(await witnesses());
    helper = await KernelHelper.start();
    kernel = await helper.hello();
  });
  afterAll(async () => {
    await helper[Symbol.asyncDispose]();
    await containers[Symbol.asyncDispose]();
  });

  const attach = async (sandbox: string, changes: Message, ...flags: readonly string[]): Promise<Container> => {
    const box = await containers.start(...flags);
    await kernel.accepted({ type: 'attach', sandbox, pid: box.pid, ...policy(changes) });
    return box;
  };
  const of = (sandbox: string, type: string): readonly Message[] =>
    kernel.events.filter((event) => event['sandbox'] === sandbox && event['type'] === type);

  test('says who did it, with which file, and where that comes from', async () => {
    const volume = mkdtempSync(join(tmpdir(), 'ucp-kernel-origin-'));
    try {
      const deny = sources('/opt/tool', '/**/x');
      const box = await attach('origin', { deny }, '-v', `${volume}:/volume`, '--tmpfs', '/scratch:exec');
      await box.sh('/opt/tool-2.0');
      expect(await kernel.event({ sandbox: 'origin', path: '/opt/tool-2.0' })).toMatchObject({
        named: '/opt/tool',
        origin: 'image',
        mode: 'enforce',
        action: 'block',
        rule: 0,
        count: 1,
        comm: 'sh',
        uid: 0,
        pid: expect.any(Number),
        pidInside: expect.any(Number),
        parent: expect.any(Number),
      });
      await box.sh('for d in /tmp /volume /scratch; do cp /opt/allowed $d/x; $d/x; done');
      expect(await kernel.event({ sandbox: 'origin', path: '/tmp/x' })).toMatchObject({ origin: 'drift', rule: 1 });
      expect(await kernel.event({ sandbox: 'origin', path: '/volume/x' })).toMatchObject({ origin: 'volume' });
      expect(await kernel.event({ sandbox: 'origin', path: '/scratch/x' })).toMatchObject({ origin: 'drift' });
    } finally {
      rmSync(volume, { recursive: true, force: true });
    }
  });

  test.each(['enforce', 'observe'])('tells the first at once and those like it once a second: %s', async (mode) => {
    const box = await attach(mode, { mode, deny: sources('/opt/denied/*') });
    const storm = new Storm(box, '/opt/denied/hard');
    await until('summaries', () => of(mode, 'exec_violation').some((event) => Number(event['count']) > 50));
    const counts = await storm.end();
    const end = await kernel.accepted({ type: 'detach', sandbox: mode });
    const events = of(mode, 'exec_violation');
    expect(events[0]).toMatchObject({ count: 1, action: mode === 'enforce' ? 'block' : 'observe' });
    expect(counted(events)).toBe(
      mode === 'enforce' ? counts.deniedRefused + counts.unread : counts.deniedRan + counts.deniedRefused,
    );
    expect(end).toMatchObject({ [mode === 'enforce' ? 'denied' : 'observed']: counted(events), lost: 0 });
    expect(events.length).toBeLessThan(counted(events) / 5);
  });

  test('keeps what nobody hears for the next client', async () => {
    const box = await attach('unheard', { deny: sources('/opt/denied/other') });
    kernel.close();
    await kernel.closed;
    for (let time = 0; time < 3; time++) await box.sh('/opt/denied/other');
    kernel = await helper.hello();
    expect(await kernel.event({ sandbox: 'unheard' })).toMatchObject({ path: '/opt/denied/other', count: 3 });
    expect(await kernel.accepted({ type: 'counters', sandbox: 'unheard' })).toMatchObject({ denied: 3, lost: 0 });
  });

  test('counts what it has no room for, and says so', async () => {
    const box = await attach('kinds', { deny: sources('/tmp/many/*') });
    await box.sh('mkdir /tmp/many; for n in $(seq 400); do cp /opt/allowed /tmp/many/$n; done');
    let over: Promise<unknown> = Promise.resolve();
    await helper.withDeciderStopped(async () => {
      over = box.sh('for n in $(seq 400); do /tmp/many/$n & done; : > /tmp/waiting; wait');
      await until('they all wait', () => box.has('/tmp/waiting'));
    });
    await over;
    await kernel.event({ sandbox: 'kinds', type: 'violations_lost', reason: 'kinds' });
    const end = await kernel.accepted({ type: 'detach', sandbox: 'kinds' });
    const lost = counted(of('kinds', 'violations_lost'));
    expect(end).toMatchObject({ denied: 400, lost });
    expect(counted(of('kinds', 'exec_violation')) + lost).toBe(400);
  });

  // A queue of fanotify that is full allows what doesn't fit; the usual one holds 16384.
  test.runIf(process.env['UCP_FULL'] === '1')('lets nobody pass, however many wait', async () => {
    const box = await attach('crowd', { deny: sources('/opt/denied/hard') });
    const crowd = async (count: number): Promise<unknown> => {
      const { stdout } = await box.exec('/opt/crowd', String(count), '/opt/denied/hard');
      return JSON.parse(stdout);
    };
    expect(await crowd(2)).toEqual({ opened: 0, refused: 2, waiting: 0 });
    const count = 17_000;
    await helper.withDeciderStopped(async () => {
      expect(await crowd(count)).toEqual({ opened: 0, refused: 0, waiting: count });
    });
    expect(await crowd(2)).toEqual({ opened: 0, refused: 2, waiting: 0 });
  });

  test('tells a new client which sandboxes are attached', async () => {
    const box = await attach('listed', { generation: 7 });
    kernel.close();
    await kernel.closed;
    kernel = await helper.connect();
    const { sandboxes } = await kernel.accepted({ type: 'hello', protocol: 1 });
    expect(sandboxes).toContainEqual({ sandbox: 'listed', pid: box.pid, generation: 7 });
  });
});
