import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test, vi } from 'vitest';

import type { Engine } from '../../engine/engine.ts';
import { ControlClient } from '../client/control-client.ts';
import { planOf, requestOf } from '../spec/fixtures.ts';
import { LeaseLink, type LinkEvents } from './link.ts';

/** Answers `reattach` with an error the first time, and then with what was missed before its answer. */
async function controlPlane(path: string): Promise<{ sockets: Socket[]; close(): void }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket
      .on('error', () => undefined)
      .on('data', (data) => {
        const { id } = JSON.parse(data.toString()) as { id: number };
        const policy = { event: 'policy', sandboxId: planOf().sandboxId, file: null };
        const refused = { id, error: { code: 'SANDBOX_UNKNOWN', message: 'not yet', retryable: true } };
        const said = sockets.length === 2 ? [refused] : [policy, { id, result: null }];
        socket.write(said.map((line) => `${JSON.stringify(line)}\n`).join(''));
      });
  });
  server.listen(path);
  await once(server, 'listening');
  return { sockets, close: () => server.close() };
}

test('takes the lease up again, and hears what it missed', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'fe-link-'));
  const plane = await controlPlane(join(dir, 's'));
  const connect = async (): Promise<ControlClient> => {
    const socket = createConnection(join(dir, 's'));
    await once(socket, 'connect');
    return new ControlClient(socket);
  };
  const events = {
    policy: vi.fn<LinkEvents['policy']>(),
    started: vi.fn<LinkEvents['started']>(),
    refused: vi.fn<LinkEvents['refused']>(),
    exited: vi.fn<LinkEvents['exited']>(),
    connectionRefused: vi.fn<LinkEvents['connectionRefused']>(),
    lost: vi.fn<LinkEvents['lost']>(),
  };
  const client = await connect();
  const deps = { connect, engine: {} as Engine, say: () => undefined };
  const link = new LeaseLink(deps as never, { plan: planOf(), request: requestOf(), client } as never, events);
  try {
    await vi.waitFor(() => expect(plane.sockets).toHaveLength(1));
    plane.sockets[0]?.destroy();
    await vi.waitFor(() => expect(events.policy).toHaveBeenCalledWith(null), 5_000);
    expect(events.lost).toHaveBeenCalledTimes(1);
    // The attempt that was refused keeps no connection.
    await vi.waitFor(() => expect(plane.sockets.map(({ destroyed }) => destroyed)).toEqual([true, true, false]));
  } finally {
    await link.settle(false);
    plane.close();
    rmSync(dir, { recursive: true });
  }
});
