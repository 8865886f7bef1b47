import { afterAll, beforeAll, describe, expect } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import type { KernelConnection } from './connection.ts';
import { Containers, type Container } from './containers.ts';
import { KernelHelper, policy, sources } from './helper.ts';
import { witnesses } from './image.ts';

const LOADER = process.arch === 'arm64' ? '/lib/ld-linux-aarch64.so.1' : '/lib64/ld-linux-x86-64.so.2';
const DENY = sources('/opt/denied/*', '/opt/interpreter', '/opt/tool', '/tmp/long/**/tail', '/tmp/new/*');

/** A script that makes a program and runs it. */
const put = (path: string): string => `mkdir -p "$(dirname "${path}")" && cp /opt/allowed "${path}" && "${path}"`;

describe('a sandbox with a deny list, enforced', () => {
  let helper: KernelHelper;
  let containers: Containers;
  let kernel: KernelConnection;
  let box: Container;

  beforeAll(async () => {
    containers = new Containers(await witnesses());
    helper = await KernelHelper.start();
    kernel = await helper.hello();
    box = await containers.start();
    await kernel.accepted({ type: 'attach', sandbox: 'box', pid: box.pid, ...policy({ deny: DENY }) });
  });
  afterAll(async () => {
    await helper[Symbol.asyncDispose]();
    await containers[Symbol.asyncDispose]();
  });

  /** Tries a script that would run a denied file; right before it, what is not denied runs. */
  const denied = async (script: string): Promise<void> => {
    expect(await box.sh('/opt/allowed')).toMatchObject({ ran: true, exitCode: 0 });
    const tried = await box.sh(script);
    expect(tried).toMatchObject({ ran: false });
    expect(tried.exitCode).not.toBe(0);
  };

  verifies(['EX-01'], 'a symlink to a denied file does not run, nor the file that a denied symlink names', async () => {
    await denied('ln -s /opt/denied/symlink /tmp/symlink && /tmp/symlink');
    expect(await kernel.event({ path: '/opt/denied/symlink' })).toMatchObject({
      type: 'exec_violation',
      sandbox: 'box',
      list: 'deny',
      rule: 0,
      generation: 1,
      action: 'block',
      access: 'exec',
    });
    await denied('/opt/tool');
    await denied('/opt/tool-2.0');
    expect(await kernel.event({ path: '/opt/tool-2.0' })).toMatchObject({ rule: 2 });
  });

  verifies(['EX-02'], 'a hard link to a file that never ran under its denied name does not run', async () => {
    await denied('ln /opt/denied/hard /tmp/hard && test -x /tmp/hard && /tmp/hard');
    expect(await kernel.event({ path: '/tmp/hard' })).toMatchObject({ list: 'deny', rule: 0, access: 'exec' });
  });

  // An overlay splits the names of such a file when one of them is written to.
  verifies(
    ['EX-02'],
    'a file that the image has under a second name runs under none, nor can it be copied',
    async () => {
      await denied('/srv/linked');
      await denied('cp /srv/linked /tmp/linked && /tmp/linked');
      await denied('chmod 750 /srv/linked && test -x /srv/linked && /srv/linked');
      await denied('mv /opt/denied/linked /tmp/linked && test -x /tmp/linked && /tmp/linked');
      await denied('cat /tmp/linked > /tmp/copy && chmod +x /tmp/copy && /tmp/copy');
    },
  );

  verifies(['EX-03'], 'a renamed denied file does not run, and a copy of it cannot be made', async () => {
    await denied('mv /opt/denied/rename /tmp/renamed && test -x /tmp/renamed && /tmp/renamed');
    await kernel.event({ path: '/tmp/renamed', access: 'exec' });
    await denied('cp /opt/denied/copy /tmp/copy && chmod +x /tmp/copy && /tmp/copy');
    await kernel.event({ path: '/opt/denied/copy', access: 'open' });
    await denied('chmod 700 /opt/denied/copy && cat /opt/denied/copy > /tmp/copy && chmod +x /tmp/copy && /tmp/copy');
  });

  verifies(['EX-04'], 'the dynamic linker does not load a denied file', async () => {
    expect(await box.sh(`${LOADER} /opt/allowed`)).toMatchObject({ ran: true });
    await denied(`${LOADER} /opt/denied/loader`);
    await kernel.event({ path: '/opt/denied/loader', access: 'open' });
    await denied(`${LOADER} --preload /opt/allowed /opt/denied/loader`);
  });

  verifies(['EX-07'], 'aliases under /proc do not run', async () => {
    expect(await box.sh('/proc/self/root/opt/allowed')).toMatchObject({ ran: true });
    await denied('/proc/self/root/opt/denied/alias');
    await denied('/proc/1/root/opt/denied/alias');
    await denied('cd /opt/denied && /proc/self/cwd/alias');
    await denied('exec 9< /opt/denied/alias && /proc/self/fd/9');
  });

  verifies(['EX-09'], 'neither a denied script nor a script of a denied interpreter runs', async () => {
    expect(await box.sh('/opt/of-shell')).toMatchObject({ ran: true });
    await denied('/opt/of-interpreter');
    expect(await kernel.event({ path: '/opt/interpreter' })).toMatchObject({ rule: 1 });
    await denied('/opt/denied/script');
    await denied('sh /opt/denied/script');
  });

  verifies(['EX-12'], 'the length of a path and the bytes in it do not matter', async () => {
    const long = Array.from({ length: 5 }, () => 'd'.repeat(200)).join('/');
    expect(await box.sh(put(`/tmp/long/${long}/control`))).toMatchObject({ ran: true });
    await denied(put(`/tmp/long/${long}/tail`));
    expect(await kernel.event({ path: `/tmp/long/${long}/tail` })).toMatchObject({ rule: 3 });
    expect(await box.sh(put('/tmp/old/a\nb'))).toMatchObject({ ran: true });
    await denied(put('/tmp/new/a\nb'));
    await kernel.event({ path: '/tmp/new/a\nb' });
    await denied(String.raw`p=$(printf '/tmp/new/\377'); cp /opt/allowed "$p"; "$p"`);
    expect(await kernel.event({ path: '/tmp/new/\uFFFD' })).toMatchObject({
      pathHex: Buffer.from('/tmp/new/\xFF', 'latin1').toString('hex'),
    });
  });

  verifies(['EX-13'], 'other spellings of a path do not run', async () => {
    expect(await box.sh('cd /opt/denied && .././//allowed')).toMatchObject({ ran: true });
    await denied('//opt///denied/../denied/dots');
    await denied('cd /opt && ./denied/dots');
  });

  verifies(['EX-17'], '`docker exec` into the sandbox is no way around', async () => {
    expect(await box.exec('/opt/allowed')).toMatchObject({ ran: true, exitCode: 0 });
    const tried = await box.exec('/opt/denied/exec');
    expect(tried).toMatchObject({ ran: false });
    expect(tried.exitCode).not.toBe(0);
    await kernel.event({ path: '/opt/denied/exec', access: 'exec' });
  });

  verifies(['EX-17'], 'a PID namespace made inside the sandbox is no way around', async () => {
    const able = await containers.start('--cap-add', 'SYS_ADMIN', '--security-opt', 'apparmor=unconfined');
    await kernel.accepted({ type: 'attach', sandbox: 'able', pid: able.pid, ...policy({ deny: DENY }) });
    expect(await able.sh('unshare -p -f /opt/allowed')).toMatchObject({ ran: true });
    expect(await able.sh('unshare -p -f /opt/denied/nested')).toMatchObject({ ran: false });
    expect(await able.sh('unshare -p -m -f /opt/denied/nested')).toMatchObject({ ran: false });
    await kernel.event({ sandbox: 'able', path: '/opt/denied/nested' });
  });
});
