import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect } from 'vitest';

import { busybox } from '../../images/index.ts';
import { Site } from '../exec/helpers/site.ts';
import { docker, until } from '../helpers/docker.ts';
import { verifies } from '../helpers/verifies.ts';

describe.each(['root', 'docker-user'] as const)('process events of whole runs, as %s', (who) => {
  let site: Site;
  let image: string;

  beforeAll(async () => {
    image = await busybox();
    site = await Site.open(who);
  });
  afterAll(() => site[Symbol.asyncDispose]());

  const told = async (word: string): Promise<readonly Readonly<Record<string, unknown>>[]> =>
    (await site.events('process_exec'))
      .map(({ body }) => body)
      .filter(({ argv }) => JSON.stringify(argv).includes(word));
  const isTold = (word: string): Promise<void> =>
    until(`an event of ${word}`, async () => (await told(word)).length > 0, 60_000);

  /** The observer: a process of root's, or a container. */
  const kill = async (): Promise<void> => {
    if (who === 'root') {
      const { pid } = JSON.parse(readFileSync(join(site.dir, 's/helper/ucp-trace.json'), 'utf8')) as { pid: number };
      process.kill(pid, 'SIGKILL');
      return;
    }
    const owner = readFileSync(join(site.dir, 's/owner'), 'utf8').trim();
    const filters = ['--filter', `label=ucp.owner=${owner}`, '--filter', 'label=ucp.helper=ucp-trace'];
    const { stdout } = await docker('ps', '-q', ...filters);
    await docker('kill', stdout.trim());
  };

  verifies(['EX-26'], 'an observer that dies costs events, says so, and is back', async () => {
    const name = await site.start(image, await site.policy({ events: true }), 'sleep', '100000');
    await docker('exec', name, 'echo', 'before');
    await isTold('before');
    expect((await told('100000'))[0]).toMatchObject({
      path: '/bin/busybox',
      origin: 'image',
      observed_by: 'bpf',
    });
    const { stdout } = await site.run('ucpd', ['status', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ process_events: { observed_by: 'bpf', sandboxes: 1 } });
    await kill();
    await until('the loss', async () => (await site.events('sensor_events_lost')).length > 0, 60_000);
    expect((await site.events('sensor_events_lost'))[0]?.body).toEqual({ lost: null, reason: 'restart' });
    expect(await docker('exec', name, 'echo', 'after')).toMatchObject({ exitCode: 0 });
    await isTold('after');
    await site.remove(name);
  });

  verifies(['EX-26'], 'a policy that wants none has none', async () => {
    const silent = await site.start(image, await site.policy({ events: false, deny_list: ['/x'] }), 'sleep', '100001');
    const seen = await site.start(image, await site.policy({ events: true }), 'sleep', '100002');
    await isTold('100002');
    expect(await told('100001')).toEqual([]);
    await site.remove(silent);
    await site.remove(seen);
  });
});
