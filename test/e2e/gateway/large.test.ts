import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';

import type { ResultPromise } from 'execa';
import { afterAll, beforeAll, describe, expect } from 'vitest';

import { busybox } from '../../images/index.ts';
import { verifies } from '../helpers/verifies.ts';
import { GatewayHost } from './helpers/under-policy.ts';

const MIB = 1024 * 1024;
const MESSAGE = 100;
const HEAD = '{"method":"tools/call","params":{"name":"echo","arguments":{"text":"';
const TAIL = '"}},"jsonrpc":"2.0","id":"large"}\n';

describe('a message of 100 MiB', () => {
  let host: GatewayHost;
  let image: string;

  beforeAll(async () => {
    host = new GatewayHost();
    await host.ready();
    image = await busybox();
  });
  afterAll(() => host[Symbol.asyncDispose]());

  const server = (...flags: readonly string[]): ResultPromise =>
    host.spawn(['run', '--mcp', 'stdio', ...flags, image, 'cat'], { buffer: false });

  verifies(['MCP-06', 'GW-02'], 'passes both ways where no rule reads it, and little of it is ever held', async () => {
    const child = server();
    const stdout = stream(child.stdout);
    const sent = say(stream(child.stdin));
    let length = 0;
    for await (const chunk of stdout) {
      length += Buffer.from(chunk as Uint8Array).length;
      if (length === HEAD.length + MESSAGE * MIB + TAIL.length) break;
    }
    await sent;
    expect(peakMemory(child.pid)).toBeLessThan(256);
    stream(child.stdin).end();
    expect((await child).exitCode).toBe(0);
  });

  verifies(['MCP-06', 'GW-02'], 'is refused under rules, in the words of who waits for its answer', async () => {
    const flags = await host.flags({ remediate: true, mcp: { server: { tools: { '*': { deny_list: ['none'] } } } } });
    const child = server(...flags);
    const stdout = stream(child.stdout).setEncoding('utf8');
    await say(stream(child.stdin));
    const [answer] = await once(stdout, 'data');
    expect(JSON.parse(String(answer))).toMatchObject({ id: 'large', error: { data: { rule: '/gateway/mcp' } } });
    stream(child.stdin).write('{"jsonrpc":"2.0","id":2,"method":"ping"}\n');
    const [next] = await once(stdout, 'data');
    expect(JSON.parse(String(next))).toEqual({ jsonrpc: '2.0', id: 2, method: 'ping' });
    expect(peakMemory(child.pid)).toBeLessThan(384);
    stream(child.stdin).end();
    await child;
  });

  verifies(['MCP-06'], 'of a server that crashes is told of: to who waits, on stderr, by the exit code', async () => {
    const flags = await host.flags({ remediate: true, mcp: { server: { tools: { '*': { deny_list: ['none'] } } } } });
    const script = 'read line; kill -SEGV $$';
    const child = host.spawn(['run', '--mcp', 'stdio', ...flags, image, 'sh', '-c', script]);
    stream(child.stdin).write('{"jsonrpc":"2.0","id":"w","method":"tools/list"}\n');
    const { exitCode, stdout, stderr } = await child;
    expect(exitCode).toBe(139);
    expect(JSON.parse(String(stdout))).toMatchObject({ id: 'w', error: { message: expect.stringContaining('139') } });
    expect(stderr).toContain('The server ended with exit code 139.');
  });
});

function stream<Stream extends Readable | Writable>(one: Stream | null | undefined): Stream {
  if (one === null || one === undefined) throw new Error('no pipe');
  return one;
}

/** Writes the message at the pace of its reader. */
async function say(stdin: Writable): Promise<void> {
  const piece = Buffer.alloc(MIB, 'x');
  stdin.write(HEAD);
  for (let n = 0; n < MESSAGE; n += 1) if (!stdin.write(piece)) await once(stdin, 'drain');
  stdin.write(TAIL);
}

/** MiB that a process had resident at most. */
function peakMemory(pid: number | undefined): number {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid ?? 0}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
