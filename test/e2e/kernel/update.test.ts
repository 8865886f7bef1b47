import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import type { KernelConnection } from './connection.ts';
import { Containers, type Container } from './containers.ts';
import { KernelHelper, policy, sources } from './helper.ts';
import { witnesses } from './image.ts';
import { Storm } from './storm.ts';

const UPDATES = 20;

describe('a policy that changes while it is in force', () => {
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

  const attach = async (sandbox: string, ...globs: readonly string[]): Promise<Container> => {
    const box = await containers.start();
    await kernel.accepted({ type: 'attach', sandbox, pid: box.pid, ...policy({ deny: sources(...globs) }) });
    return box;
  };
  const update = async (sandbox: string, generation: number, ...globs: readonly string[]): Promise<void> => {
    await kernel.accepted({ type: 'update', sandbox, ...policy({ deny: sources(...globs), generation }) });
  };

  test('holds at every moment what both policies say, and each verdict names the one that made it', async () => {
    const box = await attach('swap', '/opt/denied/hard');
    const storm = new Storm(box, '/opt/denied/hard');
    for (let generation = 2; generation < UPDATES + 2; generation++) {
      const wide = generation % 2 === 0;
      await update('swap', generation, ...(wide ? ['/opt/**/denied/*'] : ['/opt/tool', '/opt/denied/hard']));
      expect(await box.sh('/opt/denied/other')).toMatchObject({ ran: !wide });
    }
    const counts = await storm.end();
    expect(counts).toMatchObject({ deniedRan: 0, read: 0, allowedRefused: 0 });
    const end = await kernel.accepted({ type: 'detach', sandbox: 'swap' });
    expect(end).toMatchObject({ denied: counts.deniedRefused + counts.unread + UPDATES / 2, lost: 0 });
    const rules = kernel.events
      .filter((event) => event['path'] === '/opt/denied/hard' && event['access'] === 'exec')
      .map((event) => [Number(event['generation']) % 2 === 0 || event['generation'] === 1, event['rule']]);
    expect(rules.length).toBeGreaterThan(UPDATES / 2);
    for (const [wide, rule] of rules) expect(rule).toBe(wide === true ? 0 : 1);
  });

  // An overlay gives such a file another number when it is written to: only the guard still knows it.
  verifies(['EX-02'], 'a second name of a denied file stays denied through updates and restarts', async () => {
    const box = await attach('linked', '/opt/denied/*');
    expect(await box.sh('chmod 750 /srv/linked; test -x /srv/linked')).toMatchObject({ exitCode: 0 });
    expect(await box.sh('/srv/linked')).toMatchObject({ ran: false });
    await update('linked', 2, '/opt/denied/*', '/opt/tool');
    expect(await box.sh('/srv/linked')).toMatchObject({ ran: false });
    await helper.killDecider();
    kernel = await helper.hello();
    expect(await box.sh('/opt/allowed')).toMatchObject({ ran: true });
    expect(await box.sh('/srv/linked')).toMatchObject({ ran: false });
  });
});
