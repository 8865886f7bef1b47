import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { UcpError } from '../../core/errors.ts';
import { openStateDir } from '../state/owner.ts';
import { LEASE, REQUEST } from '../testing/scene.ts';
import { until } from '../testing/until.ts';
import { type Handlers, serveConnection } from './connection.ts';
import { takeInstanceLock } from './instance-lock.ts';
import { serveStatus } from './status-server.ts';
import { listenUnix, type UnixServer } from './unix-server.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cp-server-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const unused = (): never => {
  throw new UcpError('INTERNAL', 'not in this test');
};

const HANDLERS: Handlers = {
  hello: () => ({ version: 1, program: 'test', pid: 7 }),
  prepare: unused,
  created: () => null,
  abandoned: unused,
  reattach: unused,
  sensed: () => null,
  stop: ({ sandbox }) => {
    throw new UcpError('SANDBOX_UNKNOWN', `no ${sandbox}`);
  },
  start: () => null,
  settled: () => null,
  networks: () => ({ policy: 'p', configs: [] }),
  list: () => ({ sandboxes: [] }),
  trial: () => ({ helpers: [] }),
  status: () => ({}),
  sync: () => ({}),
  reload: () => ({}),
  shutdown: () => null,
};

describe('a connection', () => {
  let server: UnixServer;
  let socket: Socket;
  let text: string;
  beforeEach(async () => {
    const path = join(dir, 's.sock');
    server = await listenUnix({ path, mode: 0o600, onConnection: (client) => void serveConnection(client, HANDLERS) });
    socket = createConnection(path);
    text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    await once(socket, 'connect');
  });
  afterEach(() => server.close());

  /** Replies to these lines, by the time the last one is answered. */
  async function replies(...lines: readonly unknown[]): Promise<unknown[]> {
    for (const line of lines) socket.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
    await until('replies', () => text.split('\n').length > lines.length);
    return text
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
  }

  test('answers each request by its number, an error by its record', async () => {
    await expect(
      replies(
        { id: 1, op: 'hello', params: { version: 1 } },
        { id: 2, op: 'stop', params: { sandbox: 'x' } },
        { id: 3, op: 'list', params: { all: true, newer: 'field' } },
      ),
    ).resolves.toEqual([
      { id: 1, result: { version: 1, program: 'test', pid: 7 } },
      { id: 2, error: { code: 'SANDBOX_UNKNOWN', message: 'no x' } },
      { id: 3, result: { sandboxes: [] } },
    ]);
  });

  test.each<[string, unknown, number, RegExp]>([
    ['no JSON', '{', 0, /not JSON/],
    ['no number', { op: 'hello' }, 0, /numeric/],
    ['an unknown operation', { id: 4, op: 'constructor' }, 4, /constructor/],
    ['parameters of the wrong kind', { id: 5, op: 'stop', params: { sandbox: 1 } }, 5, /sandbox/],
    [
      'a malformed request',
      {
        id: 6,
        op: 'prepare',
        params: { request: { ...REQUEST, mode: 'both' }, lease: LEASE, engine: 'unix:///e.sock', dryRun: false },
      },
      6,
      /request\.mode/,
    ],
    [
      'a NUL in a path',
      {
        id: 7,
        op: 'prepare',
        params: { request: { ...REQUEST, workdir: '/a\0b' }, lease: LEASE, engine: 'unix:///e.sock', dryRun: false },
      },
      7,
      /NUL/,
    ],
  ])('answers %s with an error and goes on', async (_, line, id, message) => {
    const [error, next] = await replies(line, { id: 9, op: 'hello', params: { version: 1 } });
    expect(error).toMatchObject({
      id,
      error: { code: 'CONTROLPLANE_PROTOCOL', message: expect.stringMatching(message) as unknown },
    });
    expect(next).toMatchObject({ id: 9 });
  });

  test('is closed when a line has no end', async () => {
    // What it says of the reason may be lost with the bytes that nobody reads any more.
    socket.on('error', () => undefined);
    const chunk = 'x'.repeat(1024 * 1024);
    for (let sent = 0; sent < 17; sent += 1) socket.write(chunk);
    await until('closed', () => socket.closed);
    expect(socket.closed).toBe(true);
  });
});

describe('a socket', () => {
  test('is open to its owner only, and takes the place of a stale one', async () => {
    const path = join(dir, 's.sock');
    writeFileSync(path, 'stale');
    const server = await listenUnix({ path, mode: 0o600, onConnection: (client) => client.destroy() });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await server.close();
    expect(() => statSync(path)).toThrow('ENOENT');
  });
});

describe('SVC-02: the socket that all may read', () => {
  let server: UnixServer;
  let path: string;
  beforeEach(async () => {
    const telemetry = { export: { state: 'retrying', last_error: 'got: authorization=secret' }, spool: null };
    server = await serveStatus(join(dir, 'ucpd.sock'), { ...HANDLERS, status: () => ({ pid: 7, telemetry }) });
    path = join(dir, 'status.sock');
  });
  afterEach(() => server.close());

  /** The answer to one request on a connection of its own; undefined where it is cut. */
  async function ask(line: string): Promise<unknown> {
    const socket = createConnection(path);
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.on('error', () => undefined);
    socket.write(`${line}\n`);
    await until('an answer', () => text.endsWith('\n') || socket.closed);
    socket.destroy();
    return text === '' ? undefined : JSON.parse(text);
  }

  test('is open to all, and leaves out what a receiver answered', async () => {
    expect(statSync(path).mode & 0o777).toBe(0o666);
    await expect(ask('{"id":1,"op":"hello","params":{"version":1}}')).resolves.toMatchObject({ result: { pid: 7 } });
    await expect(ask('{"id":1,"op":"list","params":{"all":true}}')).resolves.toMatchObject({
      result: { sandboxes: [] },
    });
    await expect(ask('{"id":1,"op":"status"}')).resolves.toEqual({
      id: 1,
      result: { pid: 7, telemetry: { export: { state: 'retrying' } } },
    });
  });

  test.each<[string, object]>([
    ['prepare', { request: REQUEST, lease: LEASE, engine: 'e', dryRun: true }],
    ['created', { sandboxId: 's', containerId: 'c', imageId: 'i' }],
    ['abandoned', { sandboxId: 's', error: { code: 'USAGE', message: 'm' } }],
    ['reattach', { sandboxId: 's', lease: LEASE }],
    ['stop', { sandbox: 's' }],
    ['settled', { name: 's' }],
    ['sync', {}],
    ['shutdown', {}],
  ])('refuses %s by name', async (op, params) => {
    await expect(ask(JSON.stringify({ id: 1, op, params }))).resolves.toMatchObject({
      id: 1,
      error: { code: 'CONTROLPLANE_READ_ONLY', message: expect.stringMatching(`${op}.*group ucp`) as unknown },
    });
  });

  test('cuts who sends long lines', async () => {
    await expect(ask('x'.repeat(5000))).resolves.toMatchObject({ error: { code: 'CONTROLPLANE_PROTOCOL' } });
  });

  test('takes so many connections and no more', async () => {
    const held = Array.from({ length: 32 }, () => createConnection(path));
    await Promise.all(held.map((socket) => once(socket, 'connect')));
    await expect(ask('{"id":1,"op":"status"}')).resolves.toBeUndefined();
    for (const socket of held) socket.destroy();
    await Promise.all(held.map((socket) => once(socket, 'close')));
  });
});

describe('CP-01: one control plane for a state directory', () => {
  test('holds the lock, whoever races, until it lets go', async () => {
    const owner = openStateDir(join(dir, 'state'));
    expect(openStateDir(join(dir, 'state'))).toBe(owner);
    const locks = await Promise.all(Array.from({ length: 8 }, () => takeInstanceLock(owner)));
    const [held, ...more] = locks.filter((lock) => lock !== undefined);
    expect(more).toEqual([]);
    await held?.release();
    const again = await takeInstanceLock(owner);
    expect(again).toBeDefined();
    await again?.release();
  });

  test('has nothing to do with another state directory', async () => {
    const locks = await Promise.all(['a', 'b'].map((name) => takeInstanceLock(openStateDir(join(dir, name)))));
    expect(locks.every((lock) => lock !== undefined)).toBe(true);
    for (const lock of locks) await lock?.release();
  });

  test('says so when the state directory can not be used', () => {
    writeFileSync(join(dir, 'file'), '');
    expect(() => openStateDir(join(dir, 'file'))).toThrow(expect.objectContaining({ code: 'STATE_UNUSABLE' }));
  });
});
