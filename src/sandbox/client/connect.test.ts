import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { connectControlPlane } from './connect.ts';
import { leaseHolder } from './lease.ts';

let dir: string;
const servers: Server[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'fe-client-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  rmSync(dir, { recursive: true, force: true });
});

/** A control plane that answers each line by `answer`. */
async function listen(path: string, answer: (line: string, socket: Socket) => void): Promise<void> {
  const server = createServer((socket) => {
    socket.setEncoding('utf8');
    socket.on('error', () => undefined);
    socket.on('data', (text: string) => {
      for (const line of text.trim().split('\n')) answer(line, socket);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(path, resolve));
}

const host = (ucpd = '/nonexistent'): Parameters<typeof connectControlPlane>[0] => ({
  env: { PATH: process.env['PATH'], UCP_STATE_DIR: dir },
  home: dir,
  ucpd,
});

const hello = '{"id":1,"result":{"version":1,"program":"fake","pid":1}}\n';

/** A program that is a control plane, if it can bind the socket. */
const FAKE = `
  const net = require('node:net'), fs = require('node:fs');
  const server = net.createServer((s) => { s.on('error', () => {}); s.on('data', () => s.write('{"id":1,"result":{"version":1,"program":"started","pid":' + process.pid + '}}\\n')); });
  server.on('error', () => process.exit(1));
  server.listen('DIR/ucpd.sock');
  fs.appendFileSync('DIR/starts', 'x');
  setTimeout(() => process.exit(), 3000);
`;

describe('the control plane', () => {
  test('is used where one listens, with replies and notifications told apart', async () => {
    await listen(join(dir, 'ucpd.sock'), (line, socket) => {
      socket.write(
        line.includes('hello')
          ? hello
          : '{"event":"started","sandboxId":"s"}\n{"id":2,"error":{"code":"USAGE","message":"no"}}\n',
      );
    });
    const client = await connectControlPlane(host());
    const heard: unknown[] = [];
    client.listen((notification) => heard.push(notification));
    await expect(client.call('list', { all: true })).rejects.toMatchObject({ code: 'USAGE', message: 'no' });
    expect(heard).toEqual([{ event: 'started', sandboxId: 's' }]);
    client.close();
  });

  test('that dies fails every call that waits', async () => {
    await listen(join(dir, 'ucpd.sock'), (line, socket) => {
      if (line.includes('hello')) socket.write(hello);
      else socket.destroy();
    });
    const client = await connectControlPlane(host());
    await expect(client.call('list', { all: true })).rejects.toMatchObject({ code: 'CONTROLPLANE_UNREACHABLE' });
    await client.closed;
  });

  test('that talks nonsense is a protocol error', async () => {
    await listen(join(dir, 'ucpd.sock'), (_, socket) => socket.write('nonsense\n'));
    await expect(connectControlPlane(host())).rejects.toMatchObject({ code: 'CONTROLPLANE_PROTOCOL' });
  });

  test('is started once for two front ends that race', async () => {
    const program = join(dir, 'fake.cjs');
    writeFileSync(program, FAKE.replaceAll('DIR', dir));
    const clients = await Promise.all([connectControlPlane(host(program)), connectControlPlane(host(program))]);
    expect(clients).toHaveLength(2);
    for (const client of clients) client.close();
  });

  test('that cannot be started says where its log is and its last line', async () => {
    const program = join(dir, 'fails.cjs');
    writeFileSync(program, 'console.error("config.yaml is broken"); process.exit(1)');
    await expect(connectControlPlane(host(program))).rejects.toMatchObject({
      code: 'CONTROLPLANE_UNREACHABLE',
      message: expect.stringMatching(/config\.yaml is broken.*ucpd\.log/),
    });
  });
});

test('a lease names this process and this boot', () => {
  expect(leaseHolder()).toEqual({
    pid: process.pid,
    startTime: expect.stringMatching(/^\d+$/),
    bootId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
});
