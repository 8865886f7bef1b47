import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';

import { busybox } from '../../images/index.ts';
import { docker, until } from '../helpers/docker.ts';
import { TestHost } from '../helpers/host.ts';
import { verifies } from '../helpers/verifies.ts';

const NETWORK = `ucp-e2e-net-${process.pid}`;
const BOX = `${NETWORK}-box`;

let host: TestHost;
let image: string;
beforeAll(async () => {
  host = new TestHost();
  image = await busybox();
});
afterEach(async () => {
  await host.sandbox(['rm', '-f', BOX]);
  await docker('network', 'rm', NETWORK);
});
afterAll(() => host[Symbol.asyncDispose]());

async function must(...args: readonly string[]): Promise<string> {
  const ran = await docker(...args);
  if (ran.exitCode !== 0) throw new Error(ran.stderr);
  return ran.stdout;
}

/** A sandbox of its own network, under rules. */
async function start(): Promise<void> {
  await must('network', 'create', NETWORK);
  const flags = ['-d', '--name', BOX, '--network', NETWORK, '--network-config', 'web'];
  const started = await host.sandbox(['run', ...flags, image, 'sleep', '600']);
  if (started.exitCode !== 0) throw new Error(started.stderr);
}

async function inspected(format: string): Promise<string> {
  return must('inspect', BOX, '--format', format);
}

/** Names of the networks that the box has an address in. */
async function joined(): Promise<string> {
  return inspected('{{range $name, $n := .NetworkSettings.Networks}}{{if $n.IPAddress}}{{$name}} {{end}}{{end}}');
}

describe('a network that was deleted', () => {
  verifies(['BC-3252', 'NET-26'], 'keeps a stopped sandbox from its restart by name, until it is there', async () => {
    await start();
    const id = await inspected('{{.Id}}');
    await host.sandbox(['stop', '-t', '0', BOX]);
    await must('network', 'rm', NETWORK);
    for (const verb of ['restart', 'start']) {
      const refused = await host.sandbox([verb, BOX]);
      expect(refused.exitCode).not.toBe(0);
      expect(refused.stderr).toMatch(new RegExp(`NETWORK_NOT_FOUND.*${NETWORK}.*docker network create`));
    }
    expect(await inspected('{{.Id}} {{.State.Status}}')).toBe(`${id} exited`);

    await must('network', 'create', NETWORK);
    expect(await host.sandbox(['restart', '-t', '0', BOX])).toMatchObject({ exitCode: 0 });
    expect(await inspected('{{.Id}} {{.State.Status}}')).toBe(`${id} running`);
    expect(await joined()).toBe(`${NETWORK} `);
    expect(await host.sandbox(['restart', '-t', '0', BOX])).toMatchObject({ exitCode: 0 });
  });

  verifies(['BC-3252', 'NET-26'], 'leaves alone what runs, which joins it again with its restart', async () => {
    await start();
    await must('network', 'disconnect', '-f', NETWORK, BOX);
    await must('network', 'rm', NETWORK);
    const before = await inspected('{{.Id}} {{.State.Pid}}');
    const refused = await host.sandbox(['restart', '-t', '0', BOX]);
    expect(refused.stderr).toMatch(/NETWORK_NOT_FOUND/);
    expect(await inspected('{{.Id}} {{.State.Pid}}')).toBe(before);

    await must('network', 'create', NETWORK);
    expect(await host.sandbox(['restart', '-t', '0', BOX])).toMatchObject({ exitCode: 0 });
    await until('it runs', async () => (await docker('exec', BOX, 'true')).exitCode === 0);
    expect(await joined()).toBe(`${NETWORK} `);
  });
});
