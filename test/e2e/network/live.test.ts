import { readFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect } from 'vitest';

import type { Network } from '../../../src/policy/index.ts';
import { docker, until } from '../helpers/docker.ts';
import { verifies } from '../helpers/verifies.ts';
import { get } from './helpers/clients.ts';
import { type Sandbox, Scene } from './helpers/scene.ts';

const STREAM = 7000;
/** Rounds of BC-3252; the promise is for fifty. */
const ROUNDS = process.env['UCP_FULL'] === undefined ? 4 : 50;

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.start(() => networks(true));
});
afterAll(() => scene[Symbol.asyncDispose]());

/** Both sites, or only the allowed one. */
function networks(both: boolean): Network {
  const { allowed, denied } = scene?.internet.at ?? { allowed: { v4: '198.51.100.1' }, denied: { v4: '203.0.113.1' } };
  const to = both ? [allowed.v4, denied.v4, 'allowed.example'] : [allowed.v4, 'allowed.example'];
  return { sites: { remediate: true, egress: [{ to, ports: [80, STREAM] }] } };
}

async function code(box: Sandbox, url: string): Promise<number> {
  return (await box.run(...get(url))).exitCode;
}

/** Streams from both sites into files of the sandbox, each telling at its end that it ended. */
async function streaming(box: Sandbox): Promise<void> {
  const { allowed, denied } = scene.internet.at;
  const each = [allowed.v4, denied.v4].map(
    (site, index) => `(netcat -d ${site} ${STREAM} >/tmp/s${index}; echo over >/tmp/e${index}) &`,
  );
  await box.run('sh', '-c', `${each.join(' ')} exit 0`);
  for (const index of [0, 1]) {
    await until('it streams', async () => (await box.run('cat', `/tmp/s${index}`)).stdout.includes('tick'));
  }
}

async function length(box: Sandbox, file: string): Promise<number> {
  return (await box.run('cat', file)).stdout.length;
}

describe('a policy that changes while a sandbox runs', () => {
  verifies(['NET-25'], 'ends the connections that it takes away, and only those, and opens what it adds', async () => {
    await scene.setNetwork(networks(true));
    const box = await scene.sandbox('sites');
    await using _ = box;
    const { denied } = scene.internet.at;
    await streaming(box);
    const began = Date.now();
    await scene.setNetwork(networks(false));
    await until('the stream ends', async () => (await box.run('cat', '/tmp/e1')).exitCode === 0);
    // Ten times what is promised after the update is in force.
    expect(Date.now() - began).toBeLessThan(15_000);
    expect(await code(box, `http://${denied.v4}/`)).toBe(7);
    const before = await length(box, '/tmp/s0');
    await until('the other goes on', async () => (await length(box, '/tmp/s0')) > before);
    expect((await box.run('cat', '/tmp/e0')).exitCode).not.toBe(0);
    await scene.setNetwork(networks(true));
    expect(await code(box, `http://${denied.v4}/`)).toBe(0);
    expect((await box.run('cat', '/tmp/e0')).exitCode).not.toBe(0);
  });

  verifies(
    ['NET-25', 'NET-14'],
    'keeps what names stood for, and closes all when its configuration is gone',
    async () => {
      await scene.setNetwork(networks(true));
      const box = await scene.sandbox('sites');
      await using _ = box;
      const { allowed, denied } = scene.internet.at;
      expect(await code(box, 'http://allowed.example/')).toBe(0);
      await scene.setNetwork({
        sites: { remediate: true, egress: [{ to: ['allowed.example'], ports: [80, STREAM] }] },
      });
      expect(await code(box, `http://${allowed.v4}/`)).toBe(0);
      await scene.setNetwork({ other: { remediate: true } });
      expect(await code(box, `http://${denied.v4}/`)).toBe(7);
      expect(await code(box, 'http://allowed.example/')).toBe(6);
      const restarted = await scene.host.sandbox(['restart', '-t', '0', box.name]);
      expect(restarted.exitCode).not.toBe(0);
      expect(restarted.stderr).toContain('NETWORK_CONFIG_UNKNOWN');
      expect((await box.run('true')).exitCode).toBe(0);
    },
  );
});

describe('BC-3252', () => {
  verifies(['BC-3252', 'NET-26'], 'BC-3252: every restart after an update of the network policy works', async () => {
    await scene.setNetwork(networks(true));
    const started = Date.now();
    const boxes = await Promise.all(Array.from({ length: 5 }, () => scene.sandbox('sites')));
    const { allowed, denied } = scene.internet.at;
    const failures: string[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const both = round % 2 === 0;
      await scene.setNetwork(networks(both));
      const restarted = await scene.host.sandbox(['restart', '-t', '0', '--all']);
      if (restarted.exitCode !== 0) failures.push(`${round}: ${restarted.stderr}`);
      const codes = await Promise.all(
        boxes.map(async (box) => [await code(box, `http://${allowed.v4}/`), await code(box, `http://${denied.v4}/`)]),
      );
      for (const found of codes)
        if (String(found) !== String([0, both ? 0 : 7])) failures.push(`${round}: ${String(found)}`);
    }
    // A start by the engine alone, and one after a restart of the control plane.
    await docker('restart', '-t', '0', boxes[0]?.name ?? '');
    await until('it runs', async () => (await boxes[0]?.run('true'))?.exitCode === 0);
    await scene.host.ucpd(['stop']);
    const [again] = await Promise.all([scene.host.sandbox(['restart', '-t', '0', boxes[1]?.name ?? ''])]);
    if (again?.exitCode !== 0) failures.push(`after a restart of the control plane: ${String(again?.stderr)}`);
    for (const box of boxes.slice(0, 2)) {
      if ((await code(box, 'http://203.0.113.250/')) !== 7) failures.push('open after a restart');
    }
    for (const box of boxes) await box[Symbol.asyncDispose]();
    expect({ failures, started: started > 0 }).toEqual({ failures: [], started: true });
  });
});

describe('without its guards', () => {
  verifies(['NET-27'], 'nothing opens with helper or control plane killed, and both come back', async () => {
    await scene.setNetwork(networks(false));
    const box = await scene.sandbox('sites');
    await using _ = box;
    const { allowed, denied } = scene.internet.at;
    const shut = async (): Promise<void> => {
      expect(await code(box, `http://${denied.v4}/`)).toBe(7);
      expect(await code(box, `http://${allowed.v4}/`)).toBe(0);
    };
    const names = async (): Promise<boolean> => (await code(box, 'http://allowed.example/')) === 0;
    expect(await names()).toBe(true);
    const { pid } = JSON.parse(readFileSync(scene.host.path('s/helper/ucp-net.json'), 'utf8')) as { pid: number };
    process.kill(pid, 'SIGKILL');
    await shut();
    await until('names are answered again', names, 10_000);
    await shut();
    expect((await box.run('dig', '+short', '+tries=1', 'denied.example')).stdout).not.toMatch(/^\d/);

    process.kill(controlPlane(scene.host.path('s')), 'SIGKILL');
    await shut();
    expect(await code(box, 'http://denied.example/')).not.toBe(0);
    await scene.host.sandbox(['ps']);
    await until('names are answered again', names, 10_000);
    await shut();
  });
});

/** Pid of the control plane of a state directory, as its lock says it. */
function controlPlane(state: string): number {
  const { pid } = JSON.parse(readFileSync(`${state}/ucpd.pid`, 'utf8')) as { pid: number };
  return pid;
}
