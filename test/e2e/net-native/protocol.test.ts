import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { until } from '../helpers/docker.ts';
import type { KernelConnection, Message } from '../kernel/connection.ts';
import { NetHelper } from './helper.ts';
import { Space } from './space.ts';

const RULES = 'add table inet ucp\ndelete table inet ucp\ntable inet ucp { map names { type ipv4_addr : mark; }; }';

describe("the network helper's protocol", () => {
  let helper: NetHelper;
  let net: KernelConnection;
  let space: Space;
  const attach = (): Message => ({ op: 'attach', sandbox: 'a', pid: space.pid, generation: 1, rules: RULES });

  beforeAll(async () => {
    [helper, space] = await Promise.all([NetHelper.start(), Space.make()]);
    net = await helper.hello();
  });
  afterAll(async () => {
    net.close();
    await space[Symbol.asyncDispose]();
    await helper[Symbol.asyncDispose]();
  });

  test('begins with hello, and knows which versions it speaks', async () => {
    await using fresh = await NetHelper.start();
    const first = await fresh.connect();
    expect(await first.ask({ op: 'counters', sandbox: 'a' })).toMatchObject({ code: 'NET_PROTOCOL_UNKNOWN' });
    expect(await first.ask({ op: 'hello', protocol: 2 })).toMatchObject({
      ok: false,
      code: 'NET_PROTOCOL_UNKNOWN',
      pointer: '/protocol',
    });
    expect(await first.ask({ op: 'hello', protocol: 1 })).toMatchObject({ ok: true, protocol: 1, sandboxes: [] });
    first.close();
  });

  test.each<[string, Message, string, string]>([
    ['an unknown key', { more: 1 }, 'NET_REQUEST_INVALID', ''],
    ['a generation that is no number', { generation: '1' }, 'NET_REQUEST_INVALID', ''],
    ['rules that are no text', { rules: [] }, 'NET_REQUEST_INVALID', ''],
    ['rules that nft refuses', { rules: 'nonsense' }, 'NET_RULES_REFUSED', '/rules'],
    ['a process that is none', { pid: -1 }, 'NET_REQUEST_INVALID', '/pid'],
    ['a process that is not there', { pid: 2 ** 22 + 1 }, 'NET_PROCESS_UNKNOWN', '/pid'],
    ['a process in the network of the host', { pid: process.pid }, 'NET_NAMESPACE_SHARED', '/pid'],
    ['a sandbox without a name', { sandbox: '' }, 'NET_REQUEST_INVALID', '/sandbox'],
    ['a sandbox with a long name', { sandbox: 'a'.repeat(256) }, 'NET_REQUEST_INVALID', '/sandbox'],
  ])('refuses to attach with %s', async (_, changes, code, pointer) => {
    const answer = await net.ask({ ...attach(), ...changes });
    expect(answer).toMatchObject({ ok: false, code, pointer });
    expect(answer['message']).not.toBe('');
    expect(await net.ask({ op: 'hello', protocol: 1 })).toMatchObject({ sandboxes: [] });
  });

  test.each<[string, Message, string, string]>([
    ['no elements', { add: [] }, 'NET_REQUEST_INVALID', '/add'],
    ['too many elements', { add: Array.from({ length: 1025 }, () => 1) }, 'NET_REQUEST_INVALID', '/add'],
    ['an element that is none', { add: [1] }, 'NET_REQUEST_INVALID', '/add/0'],
    ['a family that is none', { add: [{ family: 5 }] }, 'NET_REQUEST_INVALID', '/add/0'],
    ['an address of another family', { add: [{ address: 'fd00::1' }] }, 'NET_REQUEST_INVALID', '/add/0'],
    ['a port that is none', { add: [{ port: 65_536 }] }, 'NET_REQUEST_INVALID', '/add/0'],
    ['a rule that is none', { add: [{ rule: -1 }] }, 'NET_REQUEST_INVALID', '/add/0'],
    ['an endless timeout', { add: [{ timeout: 1e10 }] }, 'NET_REQUEST_INVALID', '/add/0'],
    ['a set without a name', { add: [{ set: '' }] }, 'NET_REQUEST_INVALID', '/add/0'],
    ['a set that is not there', { add: [{ set: 'other' }] }, 'NET_ELEMENTS_REFUSED', '/add/0'],
    ['no value for a map', { add: [{ rule: 0 }] }, 'NET_ELEMENTS_REFUSED', '/add/0'],
  ])('refuses elements with %s', async (_, changes, code, pointer) => {
    await net.accepted(attach());
    const element = { set: 'names', family: 4, address: '192.0.2.1', timeout: 0, rule: 7 };
    const add = (changes['add'] as unknown[]).map((item) =>
      typeof item === 'number' ? item : { ...element, ...(item as object) },
    );
    expect(await net.ask({ op: 'elements', sandbox: 'a', add })).toMatchObject({ ok: false, code, pointer });
    await net.accepted({ op: 'elements', sandbox: 'a', add: [{ ...element }] });
    await net.accepted({ op: 'detach', sandbox: 'a' });
  });

  test.each<[string, Message, string]>([
    ['nothing', {}, 'NET_REQUEST_INVALID'],
    ['an unknown operation', { op: 'format' }, 'NET_REQUEST_INVALID'],
    [
      'an update of a sandbox that is not there',
      { op: 'update', sandbox: 'b', generation: 1, rules: '' },
      'NET_SANDBOX_UNKNOWN',
    ],
    ['counters of a sandbox that is not there', { op: 'counters', sandbox: 'b' }, 'NET_SANDBOX_UNKNOWN'],
    ['a detach of a sandbox that is not there', { op: 'detach', sandbox: 'b' }, 'NET_SANDBOX_UNKNOWN'],
    [
      'an address to end that is none',
      { op: 'update', sandbox: 'b', generation: 1, rules: '', destroy: [{ address: '1.2.3.4/33', port: 0 }] },
      'NET_REQUEST_INVALID',
    ],
    [
      'a port to end that is none',
      { op: 'update', sandbox: 'b', generation: 1, rules: '', destroy: [{ address: '1.2.3.4', port: -1 }] },
      'NET_REQUEST_INVALID',
    ],
  ])('refuses %s', async (_, request, code) => {
    expect(await net.ask(request)).toMatchObject({ ok: false, code });
  });

  test.each<[string, string]>([
    ['no base64', 'a%b='],
    ['half of base64', 'AAAAA'],
    ['padding in the middle', 'AA==AAAAAAAAAAAAAAAA'],
    ['too short', 'AAAA'],
    ['too long', 'A'.repeat(4 * 22_000)],
  ])('refuses a packet that is %s', async (_, packet) => {
    await net.accepted(attach());
    for (const request of [{ op: 'dns_answer', query: 1 }, { op: 'dns_local' }]) {
      const answer = await net.ask({ ...request, sandbox: 'a', packet });
      expect(answer).toMatchObject({ ok: false, code: 'NET_REQUEST_INVALID', pointer: '/packet' });
    }
    await net.accepted({ op: 'detach', sandbox: 'a' });
  });

  test.each([
    ['what is no JSON', Buffer.from('{"id":1,')],
    ['a repeated key', Buffer.from('{"op":"hello","op":"hello"}')],
    ['bytes that are no UTF-8', Buffer.from('{"op":"\xFF"}', 'latin1')],
    ['more than 4 MiB', Buffer.alloc(4 * 1024 * 1024 + 1)],
  ])('ends the connection at %s', async (_, bytes) => {
    expect(await net.askRaw(bytes)).toMatchObject({ ok: false, code: 'NET_REQUEST_INVALID' });
    await net.closed;
    net = await helper.hello();
  });

  test('refuses what it can have only once, and says so', async () => {
    await net.accepted(attach());
    expect(await net.ask({ ...attach(), sandbox: 'b' })).toMatchObject({ code: 'NET_NAMESPACE_SHARED' });
    await net.accepted({ op: 'detach', sandbox: 'a' });
    await space.done({ do: 'serve', address: '127.0.0.1', port: 5053, answer: '' });
    expect(await net.ask(attach())).toMatchObject({ code: 'NET_DNS_PORT_TAKEN' });
    expect(await space.sh('nft list tables')).toBe('table inet ucp\n');
    expect(await net.ask({ op: 'hello', protocol: 1 })).toMatchObject({ sandboxes: [] });
  });

  test('a sandbox that has another namespace now is attached to that', async () => {
    await using one = await Space.make();
    await using other = await Space.make();
    const before = helper.descriptors;
    await net.accepted({ ...attach(), pid: one.pid });
    const attached = helper.descriptors;
    await net.accepted({ ...attach(), pid: other.pid, generation: 2 });
    expect(helper.descriptors).toBe(attached);
    expect(await other.sh('nft list tables')).toBe('table inet ucp\n');
    await one.done({ do: 'serve', address: '127.0.0.1', port: 5053, answer: '' });
    await net.accepted({ op: 'detach', sandbox: 'a' });
    expect(helper.descriptors).toBe(before);
  });

  test('a namespace whose processes are gone ends with the detach', async () => {
    const gone = await Space.make();
    // The other end of the pair tells: it goes when the namespace does.
    await using keeper = await Space.make();
    await gone.sh(`ip link add ucptest type veth; ip link set veth0 netns ${keeper.pid}`);
    await net.accepted({ ...attach(), pid: gone.pid });
    await gone[Symbol.asyncDispose]();
    expect(await keeper.sh('ip link')).toContain('veth0');
    await net.accepted({ op: 'detach', sandbox: 'a' });
    await until('the namespace is gone', async () => !(await keeper.sh('ip link')).includes('veth0'));
  });

  test('holds only the rights that it needs, and none can be gained', async () => {
    const status = await space.sh(`cat /proc/${helper.pid}/status`);
    // SYS_ADMIN, SYS_PTRACE, NET_ADMIN
    for (const set of ['CapPrm', 'CapEff', 'CapBnd']) expect(status).toContain(`${set}:\t0000000000281000\n`);
    expect(status).toContain('NoNewPrivs:\t1\n');
  });
});
