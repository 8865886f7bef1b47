import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { docker } from '../helpers/docker.ts';
import { verifies } from '../helpers/verifies.ts';
import type { KernelConnection, Message } from './connection.ts';
import { Containers, type Container } from './containers.ts';
import { KernelHelper, policy, sources } from './helper.ts';
import { witnesses } from './image.ts';

describe('how a policy is applied', () => {
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

  verifies(['EX-03'], 'an allow list runs nothing else: no copy, no file of a tmpfs', async () => {
    const allow = sources('/bin/**', '/opt/allowed', '/opt/tool', '/lib/**', '/lib64/**');
    const box = await attach('allow', { allow }, '--tmpfs', '/scratch:exec');
    expect(await box.sh('/opt/allowed')).toMatchObject({ ran: true });
    expect(await box.sh('/opt/tool')).toMatchObject({ ran: true });
    for (const script of ['/opt/changed', 'cp /opt/allowed /tmp/x; /tmp/x', 'cp /opt/allowed /scratch/x; /scratch/x']) {
      expect(await box.sh(script)).toMatchObject({ ran: false });
    }
    const [first] = kernel.events.filter((event) => event['sandbox'] === 'allow');
    expect(first).toMatchObject({ path: '/opt/changed', list: 'allow', rule: null, action: 'block' });
    await kernel.event({ sandbox: 'allow', path: '/scratch/x' });
  });

  verifies(['EX-03'], 'where drift is denied, only files run that are as the image has them', async () => {
    const box = await attach('drift', { drift: 'deny' });
    expect(await box.sh('/opt/changed')).toMatchObject({ ran: true });
    expect(await box.sh('echo >> /opt/changed; /opt/changed')).toMatchObject({ ran: false });
    expect(await box.sh('cp /opt/allowed /tmp/x; /tmp/x')).toMatchObject({ ran: false });
    expect(await box.sh('mv /opt/tool-2.0 /opt/moved; /opt/moved')).toMatchObject({ ran: false });
    expect(await box.sh('/opt/allowed')).toMatchObject({ ran: true });
    await kernel.event({ sandbox: 'drift', path: '/opt/changed', list: 'drift' });
  });

  verifies(['EX-03'], 'where drift is denied, no file of a volume runs, read-only or not, but our own', async () => {
    const volume = mkdtempSync(join(tmpdir(), 'ucp-kernel-drift-'));
    try {
      const writer = await containers.start('-v', `${volume}:/volume`);
      const filled = await writer.sh(
        'for d in a b c; do mkdir /volume/$d; cp /opt/allowed /volume/$d/x; done; /volume/a/x',
      );
      expect(filled).toMatchObject({ ran: true });
      const mounts = [`${volume}/a:/.ucp/bin:ro`, `${volume}/b:/fixed:ro`, `${volume}/c:/volume`];
      const box = await attach('volumes', { drift: 'deny' }, ...mounts.flatMap((mount) => ['-v', mount]));
      expect(await box.sh('/.ucp/bin/x')).toMatchObject({ ran: true });
      expect(await box.sh('/fixed/x')).toMatchObject({ ran: false });
      expect(await box.sh('/volume/x')).toMatchObject({ ran: false });
      await kernel.event({ sandbox: 'volumes', path: '/fixed/x', list: 'drift', origin: 'volume' });
    } finally {
      rmSync(volume, { recursive: true, force: true });
    }
  });

  // The kernel tells nobody of such a change: an ignore mark would survive it.
  verifies(['EX-03'], 'where drift is denied, a file that was changed through mapped memory does not run', async () => {
    const box = await attach('mapped', { drift: 'deny' });
    expect(await box.sh('/opt/changed')).toMatchObject({ ran: true });
    expect(await box.sh('/opt/mapper /opt/changed "witness ran" "Witness ran"')).toMatchObject({ exitCode: 0 });
    expect(await box.sh('/opt/changed')).toMatchObject({ ran: false, stdout: '' });
    await kernel.event({ sandbox: 'mapped', path: '/opt/changed', list: 'drift' });
  });

  test('an empty allow list runs nothing', async () => {
    const box = await attach('none', { allow: [] });
    expect(await box.exec('/bin/busybox', 'true')).not.toMatchObject({ exitCode: 0 });
  });

  test('observing logs and allows', async () => {
    const box = await attach('observe', { mode: 'observe', deny: sources('/opt/denied/*') });
    expect(await box.sh('/opt/denied/observe && cp /opt/denied/observe /tmp/x')).toMatchObject({
      ran: true,
      exitCode: 0,
    });
    await kernel.event({ sandbox: 'observe', path: '/opt/denied/observe', action: 'observe', access: 'exec' });
    expect(await kernel.ask({ type: 'counters', sandbox: 'observe' })).toMatchObject({
      denied: 0,
      observed: 1,
      lost: 0,
    });
  });

  test('an update swaps the lists of a running sandbox, also for what was allowed before', async () => {
    const box = await attach('update', { deny: sources('/opt/denied/other') });
    const ran = async (path: string): Promise<boolean> => (await box.sh(path)).ran;
    expect([await ran('/opt/denied/update'), await ran('/opt/denied/other')]).toEqual([true, false]);
    const change = { deny: sources('/opt/denied/update'), generation: 2 };
    await kernel.accepted({ type: 'update', sandbox: 'update', ...policy(change) });
    expect([await ran('/opt/denied/update'), await ran('/opt/denied/other')]).toEqual([false, true]);
    expect(await box.sh('cat /opt/denied/update')).not.toMatchObject({ exitCode: 0 });
    expect(await box.sh('cat /opt/denied/other')).toMatchObject({ exitCode: 0 });
    await kernel.event({ sandbox: 'update', path: '/opt/denied/update', generation: 2 });
  });

  test('a refused update leaves the policy before in force', async () => {
    const box = await attach('kept', { deny: sources('/opt/denied/other') });
    const refused = await kernel.ask({ type: 'update', sandbox: 'kept', ...policy({ deny: ['^(?:'], generation: 2 }) });
    expect(refused).toMatchObject({ ok: false, code: 'KERNEL_PATTERN_INVALID', pointer: '/deny/0' });
    expect(await box.sh('/opt/denied/other')).toMatchObject({ ran: false });
  });

  test('detaching lets go', async () => {
    const box = await attach('detach', { deny: sources('/opt/denied/detach') });
    expect(await box.sh('/opt/denied/detach')).toMatchObject({ ran: false });
    expect(await kernel.ask({ type: 'detach', sandbox: 'detach' })).toMatchObject({ ok: true, denied: 1 });
    expect(await box.sh('/opt/denied/detach && cat /opt/denied/detach')).toMatchObject({ ran: true, exitCode: 0 });
  });

  test('a client that goes away changes nothing', async () => {
    const box = await attach('loss', { deny: sources('/opt/denied/loss') });
    kernel.close();
    await kernel.closed;
    expect(await box.sh('/opt/denied/loss')).toMatchObject({ ran: false });
    expect(await box.sh('/opt/allowed')).toMatchObject({ ran: true });
    kernel = await helper.hello();
    expect(await kernel.ask({ type: 'counters', sandbox: 'loss' })).toMatchObject({ ok: true, denied: 1, lost: 0 });
  });

  test('on a shared volume only the sandbox is judged, neither the host nor another container', async () => {
    const volume = mkdtempSync(join(tmpdir(), 'ucp-kernel-volume-'));
    try {
      mkdirSync(join(volume, 'bin'));
      copyFileSync('/bin/busybox', join(volume, 'bin/echo'));
      const flags = ['-v', `${volume}:/volume`];
      const box = await attach('volume', { deny: sources('/volume/bin/*') }, ...flags);
      const other = await containers.start(...flags);
      expect(await box.sh('/volume/bin/echo witness ran')).toMatchObject({ ran: false });
      expect(await box.sh('cp /volume/bin/echo /tmp/echo')).not.toMatchObject({ exitCode: 0 });
      expect(await other.sh('/volume/bin/echo witness ran && cp /volume/bin/echo /tmp/echo')).toMatchObject({
        ran: true,
        exitCode: 0,
      });
      expect(execFileSync(join(volume, 'bin/echo'), ['on', 'the', 'host']).toString()).toBe('on the host\n');
      // Through the sandbox's own mount, as `docker cp` and the like go.
      expect(execFileSync(`/proc/${box.pid}/root/volume/bin/echo`, ['host']).toString()).toBe('host\n');
      const { foreign } = await kernel.ask({ type: 'counters', sandbox: 'volume' });
      expect(foreign).toBeGreaterThan(0);
    } finally {
      rmSync(volume, { recursive: true, force: true });
    }
  });

  test('a container that has the PID namespace of the host is refused', async () => {
    const box = await containers.start('--pid', 'host');
    const answer = await kernel.ask({ type: 'attach', sandbox: 'shared', pid: box.pid, ...policy() });
    expect(answer).toMatchObject({ ok: false, code: 'KERNEL_NAMESPACE_SHARED', pointer: '/pid' });
  });

  test('a container that ends while attached leaves the helper alone', async () => {
    const box = await attach('gone', { deny: sources('/opt/denied/*') });
    await docker('rm', '-f', box.name);
    expect(await kernel.ask({ type: 'counters', sandbox: 'gone' })).toMatchObject({ ok: true });
    expect(await kernel.ask({ type: 'detach', sandbox: 'gone' })).toMatchObject({ ok: true });
  });
});
