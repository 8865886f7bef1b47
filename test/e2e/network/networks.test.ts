import { once } from 'node:events';
import { createServer } from 'node:http';

import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';

import { clients } from '../../images/index.ts';
import { docker, until } from '../helpers/docker.ts';
import { TestHost } from '../helpers/host.ts';
import { verifies } from '../helpers/verifies.ts';
import { get } from './helpers/clients.ts';
import { policyFlags } from './helpers/policy-flags.ts';

const NETWORK = `ucp-e2e-net-${process.pid}`;
const BOX = `${NETWORK}-box`;

let host: TestHost;
let image: string;
beforeAll(async () => {
  host = new TestHost();
  image = await clients();
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

/** A policy of its own whose configuration `private` names all that networks of the engine's are made of. */
async function privatePolicy(port: number): Promise<readonly string[]> {
  const egress = [{ to: ['172.16.0.0/12', '192.168.0.0/16', '10.0.0.0/8'], ports: [port] }];
  return [...(await policyFlags(host, { private: { remediate: true, egress } })), '--network-config', 'private'];
}

describe('a network that a sandbox joins while it runs', () => {
  verifies(['NET-20'], 'has its gateway closed, too', async () => {
    const server = createServer((_, response) => response.end('host'));
    server.listen(0, '0.0.0.0');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const peer = `${NETWORK}-peer`;
    try {
      const started = await host.sandbox([
        'run',
        '-d',
        '--name',
        BOX,
        ...(await privatePolicy(port)),
        image,
        'sleep',
        '600',
      ]);
      expect(started).toMatchObject({ exitCode: 0 });
      await must('network', 'create', NETWORK);
      await must('run', '-d', '--name', peer, '--network', NETWORK, image, 'httpd', '-f', '-p', String(port));
      const [gateway, other] = (
        await must('inspect', peer, '--format', '{{range .NetworkSettings.Networks}}{{.Gateway}} {{.IPAddress}}{{end}}')
      ).split(' ');
      const ask = (from: string, at = '') => docker('exec', from, ...get(`http://${at}:${port}/`));
      expect(await ask(peer, gateway)).toMatchObject({ exitCode: 0, stdout: 'host' });

      await must('network', 'connect', NETWORK, BOX);
      await until('it is refused', async () => (await ask(BOX, gateway)).exitCode === 7);
      // The way to it is there: what is beside it, in the range that the rule names, answers.
      expect((await ask(BOX, other)).stdout).toContain('404');
    } finally {
      server.close();
      await docker('rm', '-f', peer);
    }
  });
});
