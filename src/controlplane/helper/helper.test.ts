import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { FakeEngine } from '../../../test/fakes/engine.ts';
import type { JsonObject } from '../../core/json.ts';
import { silentLogger } from '../../core/ports.ts';
import { systemClock } from '../clock.ts';
import { until } from '../testing/until.ts';
import { Helper } from './helper.ts';

/** A helper in a few lines: counts what it is asked, ends when told, says how often it was started. */
const PROGRAM = `#!${process.execPath}
const { connect } = require('node:net');
const socket = process.argv[3];
const say = (out, message) => {
  const json = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(json.length);
  out.write(Buffer.concat([head, json]));
};
const answers = {
  hello: ({ protocol }) => (protocol === 1 ? { ok: true, protocol } : { ok: false, code: 'KERNEL_PROTOCOL_UNKNOWN', message: 'no' }),
  pid: () => ({ ok: true, pid: process.pid }),
  known: () => ({ ok: false, code: 'KERNEL_SANDBOX_UNKNOWN', message: 'no sandbox', pointer: '/sandbox' }),
  refuse: ({ code }) => ({ ok: false, code, message: 'no' }),
  unknown: () => ({ ok: false, code: 'KERNEL_NEW', message: 'new' }),
};
const reach = () => {
  const out = connect(socket);
  let have = Buffer.alloc(0);
  out.on('error', () => {});
  out.on('close', () => setTimeout(reach, 20));
  out.on('data', (chunk) => {
    for (have = Buffer.concat([have, chunk]); have.length >= 4 && have.length >= 4 + have.readUInt32BE(); ) {
      const end = 4 + have.readUInt32BE();
      const { id, type, ...params } = JSON.parse(have.subarray(4, end));
      have = have.subarray(end);
      if (type === 'die') process.exit(1);
      if (type === 'drop') { out.destroy(); return; }
      if (type === 'tell') say(out, params);
      say(out, { id, ...(answers[type] ?? (() => ({ ok: true })))(params) });
    }
  });
};
reach();
`;

let dir: string;
let helpers: Helper[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'helper-'));
  helpers = [];
  install(PROGRAM);
});
afterEach(async () => {
  for (const helper of helpers) await helper.stop();
  rmSync(dir, { recursive: true, force: true });
});

function install(text: string): void {
  writeFileSync(join(dir, 'ucp-kernel'), text);
  chmodSync(join(dir, 'ucp-kernel'), 0o755);
}

function make(): Helper {
  const context = { engine: new FakeEngine(), clock: systemClock, logger: silentLogger, owner: 'us' };
  const helper = new Helper(
    { program: 'ucp-kernel', capabilities: [] },
    { ...context, stateDir: join(dir, 's'), helpers: dir, helperImage: '', mode: () => 'child' },
  );
  helpers.push(helper);
  return helper;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function pidOf(helper: Helper): Promise<unknown> {
  return (await (await helper.link()).request('pid', {}))['pid'];
}

test('it is started once, answers, and refuses with codes', async () => {
  const helper = make();
  const [one, two] = await Promise.all([helper.link(), helper.link()]);
  expect(one).toBe(two);
  await expect(one.request('known', {})).rejects.toMatchObject({
    code: 'KERNEL_SANDBOX_UNKNOWN',
    pointer: '/sandbox',
    message: expect.stringContaining('no sandbox'),
  });
  await expect(one.request('unknown', {})).rejects.toMatchObject({
    code: 'HELPER_REFUSED',
    message: expect.stringContaining('KERNEL_NEW'),
  });
});

test.each([
  'KERNEL_SANDBOX_EXISTS',
  'KERNEL_MOUNT_FAILED',
  'KERNEL_FANOTIFY_UNAVAILABLE',
  'KERNEL_DRIFT_UNKNOWN',
  'KERNEL_PROTOCOL_UNKNOWN',
  'NET_PROTOCOL_UNKNOWN',
  'NET_REQUEST_INVALID',
  'NET_SANDBOX_UNKNOWN',
  'NET_PROCESS_UNKNOWN',
  'NET_NAMESPACE_SHARED',
  'NET_RULES_REFUSED',
  'NET_RULES_TIMEOUT',
  'NET_DNS_PORT_TAKEN',
  'NET_SOCKETS_FAILED',
  'NET_ELEMENTS_REFUSED',
  'NET_LOCAL_FAILED',
  'NET_BUSY',
])('its code %s reaches the caller', async (code) => {
  await expect((await make().link()).request('refuse', { code })).rejects.toMatchObject({ code });
});

test('what it says by itself is heard on every connection', async () => {
  const helper = make();
  const heard: JsonObject[] = [];
  helper.onEvent((event) => heard.push(event));
  await (await helper.link()).request('tell', { event: 'a' });
  await (await helper.link()).request('drop', {}).catch(() => undefined);
  await (await helper.link()).request('tell', { event: 'b' });
  expect(heard).toEqual([{ event: 'a' }, { event: 'b' }]);
});

test('one that dies is started again, and its users are told', async () => {
  const helper = make();
  const first = await pidOf(helper);
  let told = 0;
  helper.onRestart(async (link) => {
    await link.request('pid', {});
    told += 1;
  });
  await expect((await helper.link()).request('die', {})).rejects.toMatchObject({ code: 'HELPER_GONE' });
  await until('told', () => told === 1);
  expect(await pidOf(helper)).not.toBe(first);
});

test('one whose connection breaks is not started again, and its users are told', async () => {
  const helper = make();
  const first = await pidOf(helper);
  let told = 0;
  helper.onRestart(async () => void (told += 1));
  await (await helper.link()).request('drop', {}).catch(() => undefined);
  await until('told', () => told === 1);
  expect(await pidOf(helper)).toBe(first);
});

test('it outlives the control plane and is taken over by the next one', async () => {
  const first = make();
  const pid = await pidOf(first);
  await first.leave();
  await expect(first.link()).rejects.toMatchObject({ code: 'HELPER_GONE' });
  const second = make();
  expect(await pidOf(second)).toBe(pid);
  await second.stop();
  // Its entry stays until node has taken note of its end.
  await until('gone', () => !exists(Number(pid)));
});

test('stopping ends also one that an earlier control plane left', async () => {
  const first = make();
  const pid = await pidOf(first);
  await first.leave();
  await make().stop();
  await until('gone', () => !exists(Number(pid)));
  expect(await make().existing()).toBeUndefined();
});

test('one that can not work is told of in its own words, and tried again by the next who needs it', async () => {
  install('#!/bin/sh\necho this needs CAP_SOMETHING >&2\nexit 1\n');
  const helper = make();
  await expect(helper.link()).rejects.toMatchObject({
    code: 'HELPER_UNAVAILABLE',
    message: expect.stringContaining('this needs CAP_SOMETHING'),
  });
  rmSync(join(dir, 'ucp-kernel'));
  await expect(helper.link()).rejects.toMatchObject({ code: 'HELPER_UNAVAILABLE' });
  install(PROGRAM);
  expect(await pidOf(helper)).toEqual(expect.any(Number));
});
