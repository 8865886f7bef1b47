/**
 * A process with a network namespace of its own, which does there what it is told: one JSON message a line on stdin,
 * one answer a line on stdout. Started by space.ts.
 */
import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { createServer, connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

import type { Command, Result } from './commands.ts';

const streams: Socket[] = [];

/** Everything that came until the end, an error, or `ms`. */
async function tcp(command: Extract<Command, { do: 'tcp' }>): Promise<Result> {
  const socket = connect({ host: command.address, port: command.port, allowHalfOpen: true });
  const got: Buffer[] = [];
  const timer = setTimeout(() => socket.destroy(new Error('nothing happened')), command.ms ?? 5_000);
  socket.on('data', (chunk: Buffer) => {
    got.push(chunk);
    if (Buffer.concat(got).length >= command.until) socket.end();
  });
  if (command.data !== '') socket.write(Buffer.from(command.data, 'base64'));
  if (command.end === true) socket.end();
  const error = await new Promise<string>((done) => {
    socket.once('error', (cause: NodeJS.ErrnoException) => done(cause.code ?? cause.message));
    socket.once('close', () => done(''));
    socket.once('end', () => socket.end());
  });
  clearTimeout(timer);
  return { got: [Buffer.concat(got).toString('base64')], error };
}

/** The first `count` datagrams that came, in their order. */
async function udp(command: Extract<Command, { do: 'udp' }>): Promise<Result> {
  const socket = createSocket(command.address.includes(':') ? 'udp6' : 'udp4');
  const got: string[] = [];
  const errors: string[] = [];
  socket.on('message', (message) => got.push(message.toString('base64')));
  socket.on('error', (cause: NodeJS.ErrnoException) => errors.push(cause.code ?? cause.message));
  for (const [at, packet] of command.packets.entries()) {
    const port = command.port + (command.spread === true ? at : 0);
    await new Promise<void>((done) => {
      socket.send(Buffer.from(packet, 'base64'), port, command.address, (cause: NodeJS.ErrnoException | null) => {
        if (cause !== null) errors.push(cause.code ?? cause.message);
        done();
      });
    });
  }
  const end = Date.now() + (command.ms ?? 5_000);
  while (got.length < command.count && errors.length === 0 && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  socket.close();
  return { got, error: errors[0] ?? '' };
}

/** A server that answers everything with the same, and forgets nobody. */
async function serve({ address, port, answer }: Extract<Command, { do: 'serve' }>): Promise<Result> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => socket.write(Buffer.from(answer, 'base64')));
  });
  await new Promise<void>((done, failed) => {
    server.once('error', failed);
    server.listen(port, address, done);
  });
  return { got: [], error: '' };
}

/** Opens a stream that stays; `streams` tells what became of those so far. */
async function hold({ address, port }: Extract<Command, { do: 'hold' }>): Promise<Result> {
  const socket = connect(port, address);
  await new Promise((done, failed) => socket.once('connect', done).once('error', failed));
  socket.on('error', () => undefined);
  streams.push(socket);
  return { got: [], error: '' };
}

async function run({ script }: Extract<Command, { do: 'sh' }>): Promise<Result> {
  const { stdout } = await promisify(execFile)('sh', ['-ec', script]);
  return { got: [stdout], error: '' };
}

async function perform(command: Command): Promise<Result> {
  if (command.do === 'sh') return run(command);
  if (command.do === 'tcp') return tcp(command);
  if (command.do === 'udp') return udp(command);
  if (command.do === 'serve') return serve(command);
  if (command.do === 'hold') return hold(command);
  return { got: streams.map((socket) => (socket.closed ? 'closed' : 'open')), error: '' };
}

async function answer(line: string): Promise<void> {
  const { id, ...command } = JSON.parse(line) as Command & { id: number };
  const result = await perform(command as Command).catch((cause: unknown) => ({
    got: [] as string[],
    error: String(cause),
  }));
  process.stdout.write(`${JSON.stringify({ id, ...result })}\n`);
}

createInterface({ input: process.stdin }).on('line', (line) => void answer(line));
process.stdin.once('close', () => process.exit(0));
