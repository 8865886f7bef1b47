import { describe, expect, test } from 'vitest';

import { until } from '../helpers/docker.ts';
import type { KernelConnection } from './connection.ts';
import { Containers } from './containers.ts';
import { KernelHelper, policy, sources } from './helper.ts';
import { witnesses } from './image.ts';
import { Storm } from './storm.ts';

const KILLS = 50;
/** How long each decider lives, ms: some are killed while they still take over from the one before. */
const LIVES = [0, 2, 5, 10, 20, 40, 80, 120, 160, 200];

describe('the keeper', () => {
  test('has another decider for each one killed; nothing denied runs, nothing allowed is refused', async () => {
    await using containers = new Containers(await witnesses());
    await using helper = await KernelHelper.start();
    const first = await helper.hello();
    const box = await containers.start();
    const deny = sources('/opt/denied/*');
    await first.accepted({ type: 'attach', sandbox: 'box', pid: box.pid, ...policy() });
    await first.accepted({ type: 'update', sandbox: 'box', ...policy({ deny, generation: 2 }) });
    const storm = new Storm(box, '/opt/denied/hard');
    for (let kill = 0; kill < KILLS; kill++) {
      await helper.killDecider();
      await new Promise((resolve) => setTimeout(resolve, LIVES[kill % LIVES.length]));
    }
    const kernel = await helper.hello();
    expect(await box.sh('/opt/denied/other')).toMatchObject({ ran: false });
    expect(await kernel.event({ path: '/opt/denied/other' })).toMatchObject({ sandbox: 'box', generation: 2 });
    const counts = await storm.end();
    expect(counts).toMatchObject({ deniedRan: 0, read: 0, allowedRefused: 0 });
    expect(counts.allowedRan).toBeGreaterThan(KILLS);
    // What several deciders counted is what the witness saw, and the one of above.
    const { denied } = await kernel.accepted({ type: 'counters', sandbox: 'box' });
    expect(denied).toBe(counts.deniedRefused + counts.unread + 1);
    await kernel.event({ type: 'violations_lost', reason: 'restart' });

    await kernel.accepted({ type: 'detach', sandbox: 'box' });
    const told = [...first.events, ...kernel.events].map((event) => Number(event['count']));
    expect(told.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(Number(denied));
    await helper.killDecider();
    expect(await box.sh('/opt/denied/other')).toMatchObject({ ran: true });
  });

  test('goes on from whatever a decider was killed at, and leaves nothing behind', async () => {
    await using containers = new Containers(await witnesses());
    await using helper = await KernelHelper.start();
    let kernel = await helper.hello();
    const { descriptors } = helper;
    const [fixed, other] = [await containers.start(), await containers.start()];
    const deny = sources('/opt/denied/*');
    await kernel.accepted({ type: 'attach', sandbox: 'fixed', pid: fixed.pid, ...policy({ deny }) });
    const storm = new Storm(fixed, '/opt/denied/hard', 2);
    for (let kill = 0; kill < KILLS / 2; kill++) {
      const attached = (await listed(kernel)).includes('other');
      const type = attached ? (kill % 3 === 0 ? 'detach' : 'update') : 'attach';
      const rules = type === 'detach' ? {} : policy({ deny, generation: kill });
      const pid = type === 'attach' ? { pid: other.pid } : {};
      void kernel.ask({ type, sandbox: 'other', ...pid, ...rules });
      await new Promise((resolve) => setTimeout(resolve, LIVES[kill % 5]));
      await helper.killDecider();
      kernel = await helper.hello();
    }
    expect(await storm.end()).toMatchObject({ deniedRan: 0, read: 0, allowedRefused: 0 });
    for (const sandbox of await listed(kernel)) await kernel.accepted({ type: 'detach', sandbox });
    expect(await other.sh('/opt/denied/other')).toMatchObject({ ran: true });
    await until('all is let go', () => helper.descriptors === descriptors);
  });

  test('killed together with its decider, leaves nobody waiting', async () => {
    await using containers = new Containers(await witnesses());
    const deny = sources('/opt/denied/*');
    for (let round = 0; round < 3; round++) {
      await using helper = await KernelHelper.start();
      const kernel = await helper.hello();
      const box = await containers.start();
      await kernel.accepted({ type: 'attach', sandbox: 'box', pid: box.pid, ...policy({ deny }) });
      const storm = new Storm(box, '/opt/denied/hard');
      await kernel.event({ path: '/opt/denied/hard', access: 'open' });
      await helper.killWhole(200);
      expect(await storm.end()).toMatchObject({ allowedRefused: 0 });
    }
  });
});

/** The sandboxes that the helper has, in the words of a greeting. */
async function listed(kernel: KernelConnection): Promise<readonly string[]> {
  const { sandboxes } = await kernel.accepted({ type: 'hello', protocol: 1 });
  return (sandboxes as readonly { sandbox: string }[]).map(({ sandbox }) => sandbox);
}
