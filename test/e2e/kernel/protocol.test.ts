import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { KernelHelper, policy, sources } from './helper.ts';

/** Of a process that is not there. */
const HELD = { pid: 2 ** 22 + 1, place: 0, state: 3, group: 100, guard: 4 };

describe("the helper's protocol", () => {
  let helper: KernelHelper;

  beforeAll(async () => {
    helper = await KernelHelper.start();
  });
  afterAll(async () => helper[Symbol.asyncDispose]());

  test('begins with hello, and knows which versions it speaks', async () => {
    const kernel = await helper.connect();
    const early = await kernel.ask({ type: 'counters', sandbox: 'a' });
    expect(early).toMatchObject({ ok: false, code: 'KERNEL_PROTOCOL_UNKNOWN', pointer: '/type' });
    const later = await kernel.ask({ type: 'hello', protocol: 2 });
    expect(later).toMatchObject({ ok: false, code: 'KERNEL_PROTOCOL_UNKNOWN', pointer: '/protocol' });
    expect(await kernel.ask({ type: 'hello', protocol: 1 })).toMatchObject({ ok: true, protocol: 1 });
    kernel.close();
    await kernel.closed;
  });

  test.each([
    ['an unknown key', { allowed: [] }, 'KERNEL_REQUEST_INVALID', ''],
    ['an unknown mode', { mode: 'audit' }, 'KERNEL_REQUEST_INVALID', '/mode'],
    ['an unknown drift', { drift: 'maybe' }, 'KERNEL_REQUEST_INVALID', '/drift'],
    ['no deny list', { deny: null }, 'KERNEL_REQUEST_INVALID', '/deny'],
    ['a rule that is no text', { deny: ['^a', 1] }, 'KERNEL_REQUEST_INVALID', '/deny/1'],
    ['a rule that is no regex', { allow: [...sources('/a'), '^(?:'] }, 'KERNEL_PATTERN_INVALID', '/allow/1'],
    ['a rule that is too long', { deny: ['a'.repeat(65_537)] }, 'KERNEL_LIST_TOO_LARGE', '/deny/0'],
    ['too many rules', { deny: Array.from({ length: 10_001 }, () => 'a') }, 'KERNEL_LIST_TOO_LARGE', '/deny'],
    ['a generation that is no number', { generation: '1' }, 'KERNEL_REQUEST_INVALID', ''],
    ['a process that is none', { pid: -1 }, 'KERNEL_REQUEST_INVALID', '/pid'],
    ['a process that is not there', { pid: 2 ** 22 + 1 }, 'KERNEL_PROCESS_UNKNOWN', '/pid'],
    ['a sandbox without a name', { sandbox: '' }, 'KERNEL_REQUEST_INVALID', '/sandbox'],
    ['what is held without a process', { held: { ...HELD, pid: 0 } }, 'KERNEL_REQUEST_INVALID', '/held'],
    ['what is held by a process that is gone', { held: HELD }, 'KERNEL_HELD_GONE', '/held/group'],
  ])('refuses to attach with %s', async (_, changes, code, pointer) => {
    const kernel = await helper.hello();
    const answer = await kernel.ask({ type: 'attach', sandbox: 'a', pid: process.pid, ...policy(), ...changes });
    expect(answer).toMatchObject({ ok: false, code, pointer });
    expect(answer['message']).not.toBe('');
    expect(await kernel.ask({ type: 'counters', sandbox: 'a' })).toMatchObject({ code: 'KERNEL_SANDBOX_UNKNOWN' });
    kernel.close();
    await kernel.closed;
  });

  test.each([
    ['what is no JSON', Buffer.from('{"id":1,')],
    ['a repeated key', Buffer.from('{"type":"hello","type":"hello"}')],
    ['bytes that are no UTF-8', Buffer.from('{"type":"\xFF"}', 'latin1')],
    ['deep nesting', Buffer.from('['.repeat(100_000))],
    ['a bare text', Buffer.from('"hello"')],
    ['nothing', Buffer.alloc(0)],
    ['more than 4 MiB', Buffer.alloc(4 * 1024 * 1024 + 1)],
  ])('ends the connection at %s', async (_, bytes) => {
    const kernel = await helper.hello();
    expect(await kernel.askRaw(bytes)).toMatchObject({ ok: false, code: 'KERNEL_REQUEST_INVALID' });
    await kernel.closed;
  });

  test.each([
    ['a list', '[]'],
    ['an object without a type', '{}'],
  ])('refuses %s as a request and goes on', async (_, text) => {
    const kernel = await helper.hello();
    expect(await kernel.askRaw(Buffer.from(text))).toMatchObject({ ok: false, code: 'KERNEL_REQUEST_INVALID' });
    expect(await kernel.ask({ type: 'hello', protocol: 1 })).toMatchObject({ ok: true });
    kernel.close();
    await kernel.closed;
  });
});
