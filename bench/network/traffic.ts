import { execa } from 'execa';

import { docker, until } from '../../test/e2e/helpers/docker.ts';
import type { Internet } from '../../test/e2e/network/helpers/internet.ts';
import { Scene } from '../../test/e2e/network/helpers/scene.ts';
import { median } from '../lib/measure.ts';
import { goal, table } from '../lib/table.ts';
import { bigConfig } from './big-config.ts';

const ROUNDS = 9;
/** What one round moves and how often it connects. */
const BYTES = 512 * 2 ** 20;
const CONNECTS = 300;
const SINK_PORT = 9000;

/** Takes what is sent and says so at the end. */
const SINK = `
require('node:net').createServer({ allowHalfOpen: true }, (socket) => {
  socket.on('error', () => {}).resume().on('end', () => socket.end('x'));
}).listen(${SINK_PORT}, process.argv[1], () => console.log('listening'));
`;

/** Prints the seconds that BYTES took, and the median of CONNECTS connects in microseconds. */
const SOURCE = `
import json, socket, statistics, sys, time
host, port, size, connects = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
chunk = bytes(1 << 20)
with socket.create_connection((host, port)) as sock:
    began = time.perf_counter()
    for _ in range(size >> 20): sock.sendall(chunk)
    sock.shutdown(socket.SHUT_WR); assert sock.recv(1) == b'x'
    took = time.perf_counter() - began
times = []
for _ in range(connects):
    began = time.perf_counter()
    with socket.create_connection((host, port)): times.append((time.perf_counter() - began) * 1e6)
print(json.dumps([took, statistics.median(times)]))
`;

interface Round {
  /** Seconds that {@link BYTES} took. */
  readonly seconds: number;
  /** Median of the connects of the round, µs. */
  readonly connect: number;
}

/**
 * Throughput and the time of a connect out of a sandbox under a small and under a big network configuration, each beside
 * a plain container on the same bridge. Goals: 0.97 of the throughput, 5 % more for a connect.
 */
export async function traffic(): Promise<boolean> {
  await using scene = await Scene.start(({ at }) => ({
    small: { remediate: true, egress: [{ to: [`${at.allowed.v4}/32`], ports: [SINK_PORT] }] },
    big: bigConfig([{ to: [`${at.allowed.v4}/32`], ports: [SINK_PORT] }]),
  }));
  const to = scene.internet.at.allowed.v4;
  await using _sink = await startSink(scene.internet, to);
  await using small = await scene.sandbox('small');
  await using big = await scene.sandbox('big');
  const { stdout: plain } = await docker('run', '-d', '--rm', scene.image, 'sleep', '1200');
  try {
    const places = { 'plain container': plain, 'small config': small.name, 'big config': big.name };
    const rounds = new Map<string, Round[]>();
    for (let round = -1; round < ROUNDS; round += 1) {
      for (const [name, container] of Object.entries(places)) {
        const measured = await send(container, to);
        if (round >= 0) rounds.set(name, [...(rounds.get(name) ?? []), measured]);
      }
    }
    return report(rounds);
  } finally {
    await docker('rm', '-f', plain);
  }
}

function report(rounds: ReadonlyMap<string, readonly Round[]>): boolean {
  const plain = rounds.get('plain container') ?? [];
  const paired = (of: readonly Round[], key: keyof Round): number =>
    median(of.map((round, index) => round[key] / (plain[index]?.[key] ?? Number.NaN)));
  const rows = [...rounds].map(([name, all]) => [
    name,
    `${Math.round(BYTES / 2 ** 20 / median(all.map(({ seconds }) => seconds)))} MiB/s`,
    `${Math.round(median(all.map(({ connect }) => connect)))} µs`,
  ]);
  console.log(table(['median of rounds', 'throughput', 'connect'], rows));
  const goals = ['small config', 'big config'].flatMap((name) => {
    const all = rounds.get(name) ?? [];
    return [
      goal(`time to send, ${name}`, paired(all, 'seconds'), 1 / 0.97),
      goal(`time of a connect, ${name}`, paired(all, 'connect'), 1.05),
    ];
  });
  return goals.every(Boolean);
}

async function send(container: string, to: string): Promise<Round> {
  const numbers = [SINK_PORT, BYTES, CONNECTS].map(String);
  const { stdout, stderr } = await docker('exec', container, 'python3', '-c', SOURCE, to, ...numbers);
  if (stdout === '') throw new Error(stderr);
  const [seconds = Number.NaN, connect = Number.NaN] = JSON.parse(stdout) as number[];
  return { seconds, connect };
}

async function startSink(internet: Internet, at: string): Promise<AsyncDisposable> {
  const child = execa('ip', ['netns', 'exec', internet.name, process.execPath, '-e', SINK, at], { reject: false });
  let ready = false;
  child.stdout.on('data', () => (ready = true));
  await until('the sink listens', () => ready);
  return {
    async [Symbol.asyncDispose]() {
      child.kill();
      await child;
    },
  };
}
