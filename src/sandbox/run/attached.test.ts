import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Duplex, duplexPair, PassThrough } from 'node:stream';

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { endMarker } from '../../core/init-protocol.ts';
import type { RunRequest } from '../../core/run-request.ts';
import type { Engine } from '../../engine/engine.ts';
import { ControlClient } from '../client/control-client.ts';
import { compileSpec } from '../spec/compile-spec.ts';
import { imageOf, planOf, requestOf } from '../spec/fixtures.ts';
import { runAttached } from './attached.ts';
import type { PreparedRun, RunDeps } from './prepare.ts';
import { Timings } from './timings.ts';

const NONCE = '0123456789abcdef0123456789abcdef';
const BOX = 'abc123def456';
const marker = endMarker(NONCE);

let dir: string;
let server: Server;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'fe-run-'));
});
afterEach(() => {
  server.close();
  rmSync(dir, { recursive: true });
});

/** An engine whose one container is the test's end of a stream. */
class FakeEngine {
  readonly calls: string[] = [];
  readonly container: Duplex;
  readonly #ours: Duplex;
  startError: Error | undefined;
  exit: Promise<number> = new Promise(() => undefined);

  constructor() {
    [this.#ours, this.container] = duplexPair();
  }

  async create(): Promise<string> {
    return 'c0ffee';
  }
  async attach(): Promise<{ stream: Duplex; tty: boolean }> {
    return { stream: this.#ours, tty: false };
  }
  async start(): Promise<void> {
    if (this.startError !== undefined) throw this.startError;
    this.calls.push('start');
  }
  async kill(_: string, signal: string): Promise<void> {
    this.calls.push(`kill ${signal}`);
  }
  async stop(_: string, seconds: number): Promise<void> {
    this.calls.push(`stop ${seconds}`);
  }
  async remove(): Promise<void> {
    this.calls.push('remove');
  }
  async waitExit(): Promise<number> {
    this.calls.push('wait');
    return this.exit;
  }
  /** Writes a frame as the engine does. */
  frame(type: 1 | 2, bytes: Buffer | string): void {
    const payload = Buffer.from(bytes);
    const header = Buffer.from([type, 0, 0, 0, 0, 0, 0, 0]);
    header.writeUInt32BE(payload.length, 4);
    this.container.write(Buffer.concat([header, payload]));
  }
}

interface Bench {
  readonly engine: FakeEngine;
  readonly ending: Promise<number>;
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  readonly stdin: PassThrough;
  readonly signals: EventEmitter;
  readonly operations: string[];
  notify(event: string, more?: object): void;
  loseControlPlane(): void;
  text(): string;
}

/** A run in progress: its container exists and was started. */
async function begin(more: Partial<RunRequest> = {}, prepare?: (engine: FakeEngine) => void): Promise<Bench> {
  const operations: string[] = [];
  const connected = new Promise<Socket>((resolve) => {
    server = createServer((socket) => {
      socket.setEncoding('utf8');
      socket.on('data', (text: string) => {
        for (const line of text.trim().split('\n')) {
          const { id, op }: { id: number; op: string } = JSON.parse(line);
          operations.push(op);
          socket.write(`${JSON.stringify({ id, result: null })}\n`);
        }
      });
      socket.on('error', () => undefined);
      resolve(socket);
    });
  });
  server.listen(join(dir, 's'));
  await once(server, 'listening');
  const plan = planOf({ endMarker: NONCE });
  const request = requestOf(more);
  const image = imageOf();
  const engine = new FakeEngine();
  prepare?.(engine);
  const client = new ControlClient(createConnection(join(dir, 's')));
  const compiled = compileSpec(plan, request, image, { recursiveReadOnly: false });
  const run: PreparedRun = { client, request, plan, image, sources: [], compiled };
  const deps: RunDeps = {
    engine: asEngine(engine),
    connect: async () => Promise.reject(new Error('none')),
    say: (line) => operations.push(`said ${line}`),
    pullProgress: () => undefined,
    timings: new Timings(),
  };
  const [stdout, stderr, stdin] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const signals = new EventEmitter();
  const ending = runAttached(deps, run, { stdin, stdout, stderr, terminal: {}, signals });
  ending.catch(() => undefined);
  const socket = await connected;
  return {
    engine,
    ending,
    stdout,
    stderr,
    stdin,
    signals,
    operations,
    notify: (event, fields) => socket.write(`${JSON.stringify({ event, sandboxId: BOX, ...fields })}\n`),
    loseControlPlane: () => socket.destroy(),
    text: () => String(stdout.read() ?? ''),
  };
}

async function unused(): Promise<never> {
  throw new Error('not used by an attached run');
}

/** The fake as the contract that it partly keeps. */
function asEngine(engine: FakeEngine): Engine {
  return {
    endpoint: 'unix:///fake.sock',
    facts: unused,
    check: unused,
    image: unused,
    pull: unused,
    importImage: unused,
    inspect: unused,
    inspectRaw: unused,
    rejoinNetworks: unused,
    network: unused,
    list: unused,
    logs: unused,
    exec: unused,
    resize: async () => undefined,
    watch: () => ({ stop: () => undefined }),
    create: async () => engine.create(),
    attach: async () => engine.attach(),
    start: async () => engine.start(),
    kill: async (id, signal) => engine.kill(id, signal),
    stop: async (id, seconds) => engine.stop(id, seconds),
    remove: async () => engine.remove(),
    waitExit: async () => engine.waitExit(),
  };
}

describe('an attached run', () => {
  test('of a server that ends as soon as it begins keeps its last words', async () => {
    const run = await begin({ mcp: 'stdio', interactive: true });
    run.engine.frame(2, 'no key given');
    run.engine.frame(1, marker);
    run.engine.frame(2, marker);
    await vi.waitFor(() => expect(run.engine.calls).toContain('start'));
    // In one breath: nothing is looked at between them.
    run.notify('policy', { file: null });
    run.notify('started');
    run.notify('exited', { exitCode: 3 });
    expect(await run.ending).toBe(3);
    expect(String(run.stderr.read())).toBe('no key given');
  });

  test('ends with the code of the control plane once both markers came, without waiting for the stream', async () => {
    const run = await begin();
    run.notify('started');
    run.engine.frame(1, 'out');
    run.engine.frame(2, 'err');
    run.notify('exited', { exitCode: 42 });
    run.engine.frame(1, Buffer.concat([Buffer.from('last'), marker]));
    run.engine.frame(2, marker);
    expect(await run.ending).toBe(42);
    expect(run.text()).toBe('outlast');
    expect(String(run.stderr.read())).toBe('err');
  });

  test('does not end on the code alone: output on its way is awaited', async () => {
    const run = await begin();
    run.notify('started');
    run.notify('exited', { exitCode: 0 });
    run.engine.frame(1, marker);
    run.engine.frame(2, 'late');
    let over = false;
    void run.ending.then(() => (over = true));
    await once(run.stderr, 'readable');
    expect(over).toBe(false);
    run.engine.frame(2, marker);
    expect(await run.ending).toBe(0);
    expect(String(run.stderr.read())).toBe('late');
  });

  test('that is refused shows none of the output and rejects with the reason', async () => {
    const run = await begin();
    run.engine.frame(2, 'ucp-init: refused\n');
    run.notify('refused', { error: { code: 'USAGE', message: 'because' } });
    await expect(run.ending).rejects.toMatchObject({ code: 'USAGE', message: 'because' });
    expect(run.stderr.read()).toBeNull();
  });

  test('goes on when the control plane dies, and has its code from the engine', async () => {
    const run = await begin({}, (engine) => {
      engine.exit = new Promise((resolve) => engine.container.once('finish', () => resolve(7)));
    });
    run.notify('started');
    run.engine.frame(1, 'before ');
    await once(run.stdout, 'readable');
    run.loseControlPlane();
    await vi.waitUntil(() => run.engine.calls.includes('wait'));
    run.engine.frame(1, 'after');
    run.engine.container.end();
    expect(await run.ending).toBe(7);
    expect(run.text()).toBe('before after');
    expect(run.engine.calls).toContain('remove');
  });

  test('whose container does not start is abandoned before the error is thrown', async () => {
    const run = await begin({}, (engine) => {
      engine.startError = new Error('port');
    });
    await expect(run.ending).rejects.toMatchObject({ message: 'port' });
    expect(run.operations).toEqual(['created', 'abandoned']);
  });

  test.each([
    [{}, 1],
    [{ mcp: 'stdio', interactive: true }, 0],
  ] as const)('asked for as %j says what was refused in %i lines, beside its output', async (request, lines) => {
    const run = await begin(request);
    run.notify('policy', { file: null });
    run.notify('started');
    run.notify('connection_refused', { config: 'web', rule: '/network/web', message: 'a connection', count: 1 });
    run.engine.frame(1, marker);
    run.engine.frame(2, marker);
    run.notify('exited', { exitCode: 0 });
    expect(await run.ending).toBe(0);
    expect(run.operations.filter((said) => said.startsWith('said refused: a connection'))).toHaveLength(lines);
    expect(run.text()).toBe('');
  });

  test('half-closes stdin at its end and goes on with the output', async () => {
    const run = await begin({ interactive: true });
    run.notify('started');
    run.stdin.end('question');
    const got: Buffer[] = [];
    for await (const chunk of run.engine.container) got.push(chunk);
    expect(Buffer.concat(got).toString()).toBe('question');
    run.engine.frame(1, Buffer.concat([Buffer.from('answer'), marker]));
    run.engine.frame(2, marker);
    run.notify('exited', { exitCode: 0 });
    expect(await run.ending).toBe(0);
    expect(run.text()).toBe('answer');
  });

  test('whose reader goes away stops its sandbox and is quiet', async () => {
    const run = await begin();
    run.notify('started');
    run.engine.frame(1, 'up');
    await once(run.stdout, 'readable');
    run.stdout.destroy(Object.assign(new Error('write'), { code: 'EPIPE' }));
    expect(await run.ending).toBe(141);
    expect(run.operations).toContain('stop');
  });

  test('waits for a slow reader instead of buffering', async () => {
    const run = await begin();
    run.notify('started');
    let accepted = 0;
    const block = Buffer.alloc(64 * 1024, 'x');
    while (run.engine.container.writableLength === 0 && accepted < 200) {
      run.engine.frame(1, block);
      accepted += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(accepted).toBeLessThan(20);
    run.stdout.resume();
    run.engine.frame(1, marker);
    run.engine.frame(2, marker);
    run.notify('exited', { exitCode: 0 });
    expect(await run.ending).toBe(0);
  });

  test('forwards signals; the second interrupt stops, the third kills', async () => {
    const run = await begin({ stopTimeout: 3 });
    run.notify('started');
    run.engine.frame(1, 'up');
    await once(run.stdout, 'readable');
    for (const signal of ['SIGUSR1', 'SIGINT', 'SIGINT', 'SIGINT']) run.signals.emit(signal);
    run.engine.frame(1, marker);
    run.engine.frame(2, marker);
    run.notify('exited', { exitCode: 137 });
    expect(await run.ending).toBe(137);
    expect(run.engine.calls).toEqual(['start', 'kill SIGUSR1', 'kill SIGINT', 'stop 3', 'kill SIGKILL']);
    expect(run.signals.listenerCount('SIGINT')).toBe(0);
  });
});
