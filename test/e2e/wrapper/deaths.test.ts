import { globSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';

import { execa, type ResultPromise } from 'execa';
import { afterAll, beforeAll, describe, expect } from 'vitest';

import { busybox } from '../../images/index.ts';
import { until } from '../helpers/docker.ts';
import { TestHost } from '../helpers/host.ts';
import { verifies } from '../helpers/verifies.ts';

const PROGRAM = join(resolve(import.meta.dirname, '../../..'), 'bin/ucp-sandbox.js');
/** Seven ways, three servers: 504 starts with UCP_FULL=1. */
const ROUNDS = process.env['UCP_FULL'] === '1' ? 24 : 1;

const SERVERS = {
  polite: 'echo up; cat >/dev/null',
  stubborn: 'trap "" TERM HUP INT QUIT; echo up; while :; do read x || sleep 1; done',
  forking: '(trap "" TERM HUP INT; setsid sleep 600 & sleep 600) & echo up; cat >/dev/null; sleep 600 & wait',
} as const;

/** How a server's life ends. `pid` is the front end's. */
type Way = (run: { readonly client: ResultPromise; readonly pid: number; readonly host: TestHost }) => void;

const kill =
  (signal: NodeJS.Signals): Way =>
  ({ pid }) =>
    process.kill(pid, signal);

const WAYS: Readonly<Record<string, Way>> = {
  'the end of its input': ({ client }) => client.stdin?.end(),
  'INT to the front end': kill('SIGINT'),
  'TERM to the front end': kill('SIGTERM'),
  'HUP to the front end': kill('SIGHUP'),
  'KILL to the front end': kill('SIGKILL'),
  'KILL to the client': ({ client }) => client.kill('SIGKILL'),
  'KILL to the control plane, and the end of its input': ({ client, host }) => {
    const owner = controlPlane(host);
    if (owner !== undefined) process.kill(owner, 'SIGKILL');
    client.stdin?.end();
  },
};

/** Holds the front end's input, as a client does: at its own end, however that comes, the input ends too. */
const CLIENT = 'exec 3> >(exec "$0" "$@"); echo "client of $!." >&2; cat >&3';

/** Processes with this text among their arguments. */
function processes(text: string): readonly number[] {
  return globSync('/proc/[0-9]*/cmdline').flatMap((path) => {
    try {
      return readFileSync(path, 'utf8')
        .split('\0')
        .some((word) => word.includes(text))
        ? Number(path.split('/')[2])
        : [];
    } catch {
      return [];
    }
  });
}

/** The process that the client says it started. */
async function frontEnd({ stderr }: ResultPromise): Promise<number> {
  let said = '';
  return new Promise((resolve) => {
    stderr?.on('data', (chunk: Buffer) => {
      const [, pid] = /client of (\d+)\./.exec((said += chunk.toString())) ?? [];
      if (pid !== undefined) resolve(Number(pid));
    });
  });
}

function spread(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): number => Math.round(sorted[Math.ceil(sorted.length * part) - 1] ?? 0);
  return `median ${at(0.5)}, p95 ${at(0.95)}, slowest ${at(1)}`;
}

function controlPlane(host: TestHost): number | undefined {
  return processes(host.path('s')).find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('ucpd'));
}

describe('a server behind the wrapper', () => {
  let host: TestHost;
  let image: string;
  let count = 0;

  beforeAll(async () => {
    host = new TestHost();
    image = await busybox();
  });
  afterAll(() => host[Symbol.asyncDispose]());

  /** Starts one, ends it, and resolves with the time until nothing is left of it. */
  async function round(script: string, way: Way): Promise<number> {
    count += 1;
    const name = `ucp-death-${process.pid}-${count}`;
    const args = [process.execPath, PROGRAM, 'run', '--mcp=stdio', `--name=${name}`, image, 'sh', '-c', script];
    const client = execa('bash', ['-c', CLIENT, ...args], {
      env: { ...host.env },
      extendEnv: false,
      reject: false,
      buffer: false,
    });
    try {
      const [pid] = await Promise.all([
        frontEnd(client),
        new Promise((resolve) => client.stdout?.once('data', resolve)),
      ]);
      const start = performance.now();
      way({ client, pid, host });
      await until(`nothing left of ${name}`, async () => !(await host.containers()).includes(name), 60_000);
      const took = performance.now() - start;
      await until(`the front end of ${name} gone`, () => !processes(`--name=${name}`).includes(pid), 60_000);
      return took;
    } finally {
      client.kill('SIGKILL');
      await client;
    }
  }

  for (const [words, way] of Object.entries(WAYS)) {
    verifies(['LC-01'], `leaves nothing after ${words}, be it polite, stubborn or forking`, async () => {
      const times: number[] = [];
      for (let at = 0; at < ROUNDS; at += 1) {
        times.push(...(await Promise.all(Object.values(SERVERS).map(async (script) => round(script, way)))));
      }
      expect(times).toHaveLength(3 * ROUNDS);
      expect(await host.containers()).toEqual([]);
      if (ROUNDS > 1) console.log(`${words}: ${times.length} rounds, ms: ${spread(times)}; load ${loadavg()[0] ?? 0}`);
    });
  }
});
