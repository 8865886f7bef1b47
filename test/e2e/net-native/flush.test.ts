import { readlinkSync } from 'node:fs';

import { execa } from 'execa';
import { expect, test } from 'vitest';

import { NetHelper } from './helper.ts';
import { Space } from './space.ts';

const RULES = `add table inet ucp
delete table inet ucp
table inet ucp {
  counter refused { }
  chain out { type filter hook output priority filter; policy accept; tcp dport 1001 counter name refused reject with tcp reset; }
}`;
const FIREWALL =
  'table inet firewall { chain in { type filter hook input priority filter; tcp dport 1000 reject with tcp reset; }; }';

/** Runs a script in a namespace that is not this machine's own. */
async function inside({ pid }: Space, script: string): Promise<string> {
  const own = readlinkSync('/proc/self/ns/net');
  const guarded = `[ "$(readlink /proc/self/ns/net)" != "${own}" ] || exit 9; ${script}`;
  return (await execa('nsenter', ['-t', String(pid), '-n', 'sh', '-ec', guarded])).stdout;
}

/**
 * A namespace stands for the host: the helper is at home in it, and it is the sandbox's gateway. The rules of the
 * machine itself are the engine's, too, and are left alone.
 */
test('a ruleset that is flushed on the host opens no sandbox', async () => {
  await using host = await Space.make();
  await using box = await Space.make();
  await inside(
    host,
    `ip link add side0 type veth peer name eth0 netns ${box.pid}; ip addr add 172.31.0.1/24 dev side0; ip link set side0 up`,
  );
  await inside(box, 'ip addr add 172.31.0.2/24 dev eth0; ip link set eth0 up');
  for (const port of [1000, 1001]) await host.done({ do: 'serve', address: '172.31.0.1', port, answer: 'aGk=' });
  await using helper = await NetHelper.start(host.pid);
  const net = await helper.hello();
  await inside(host, `nft '${FIREWALL}'`);
  expect(await box.connect('172.31.0.1', 1001)).toBe('');
  expect(await net.ask({ op: 'attach', sandbox: 'a', pid: box.pid, generation: 1, rules: RULES })).toMatchObject({
    ok: true,
  });
  for (const port of [1000, 1001]) expect(await box.connect('172.31.0.1', port)).toBe('ECONNREFUSED');

  await inside(host, 'nft flush ruleset');
  expect(await inside(host, 'nft list ruleset')).toBe('');
  // The host's firewall is gone, the sandbox's rules are not.
  expect(await box.connect('172.31.0.1', 1000)).toBe('');
  expect(await box.connect('172.31.0.1', 1001)).toBe('ECONNREFUSED');
  expect(await net.ask({ op: 'counters', sandbox: 'a' })).toMatchObject({ counters: { refused: { packets: 2 } } });
  net.close();
});
