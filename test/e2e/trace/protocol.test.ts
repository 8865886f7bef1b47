import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { TraceHelper } from './helper.ts';

describe("the observer's protocol", () => {
  let helper: TraceHelper;

  beforeAll(async () => {
    helper = await TraceHelper.start();
  });
  afterAll(async () => helper[Symbol.asyncDispose]());

  test('begins with hello, and knows which versions it speaks', async () => {
    const trace = await helper.connect();
    const early = await trace.ask({ type: 'counters', sandbox: 'a' });
    expect(early).toMatchObject({ ok: false, code: 'KERNEL_PROTOCOL_UNKNOWN', pointer: '/type' });
    expect(await trace.ask({ type: 'hello', protocol: 2 })).toMatchObject({ code: 'KERNEL_PROTOCOL_UNKNOWN' });
    expect(await trace.ask({ type: 'hello', protocol: 1 })).toMatchObject({ ok: true, observedBy: 'bpf' });
    trace.close();
    await trace.closed;
  });

  test.each([
    ['a type that there is not', { type: 'update', sandbox: 'a' }, 'KERNEL_REQUEST_INVALID', '/type'],
    ['no type', { sandbox: 'a' }, 'KERNEL_REQUEST_INVALID', '/type'],
    ['an unknown key', { type: 'detach', sandbox: 'a', all: true }, 'KERNEL_REQUEST_INVALID', ''],
    ['no name', { type: 'attach', pid: 1 }, 'KERNEL_REQUEST_INVALID', ''],
    ['an empty name', { type: 'attach', sandbox: '', pid: 1 }, 'KERNEL_REQUEST_INVALID', '/sandbox'],
    ['a long name', { type: 'attach', sandbox: 'a'.repeat(129), pid: 1 }, 'KERNEL_REQUEST_INVALID', '/sandbox'],
    ['a process that is none', { type: 'attach', sandbox: 'a', pid: -1 }, 'KERNEL_REQUEST_INVALID', '/pid'],
    ['one that is not there', { type: 'attach', sandbox: 'a', pid: 2 ** 22 + 1 }, 'KERNEL_PROCESS_UNKNOWN', '/pid'],
    ['one of the host', { type: 'attach', sandbox: 'a', pid: process.pid }, 'KERNEL_NAMESPACE_SHARED', '/pid'],
    ['a sandbox that is not attached', { type: 'lineage', sandbox: 'a', pid: 1 }, 'KERNEL_SANDBOX_UNKNOWN', '/sandbox'],
  ])('refuses %s and goes on', async (_, request, code, pointer) => {
    const trace = await helper.hello();
    expect(await trace.ask(request)).toMatchObject({ ok: false, code, pointer });
    expect(await trace.ask({ type: 'hello', protocol: 1 })).toMatchObject({ ok: true });
    trace.close();
    await trace.closed;
  });

  test.each([
    ['what is no JSON', Buffer.from('{"id":1,')],
    ['bytes that are no UTF-8', Buffer.from('{"type":"\xFF"}', 'latin1')],
    ['nothing', Buffer.alloc(0)],
    ['more than 4 MiB', Buffer.alloc(4 * 1024 * 1024 + 1)],
  ])('ends the connection at %s', async (_, bytes) => {
    const trace = await helper.hello();
    expect(await trace.askRaw(bytes)).toMatchObject({ ok: false, code: 'KERNEL_REQUEST_INVALID' });
    await trace.closed;
  });
});
