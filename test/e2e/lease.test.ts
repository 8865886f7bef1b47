import { afterAll, beforeAll, describe, expect } from 'vitest';

import { busybox } from '../images/index.ts';
import { until } from './helpers/docker.ts';
import { TestHost } from './helpers/host.ts';
import { verifies } from './helpers/verifies.ts';

/** Ends neither at the end of input nor at TERM. */
const STUBBORN = 'trap "" TERM HUP INT; echo up; while :; do read x || sleep 1; done';
/** Ends at the end of input. */
const POLITE = 'echo up; cat >/dev/null';
const ROUNDS = 200;

describe('the lease of a foreground sandbox', () => {
  let host: TestHost;
  let image: string;

  beforeAll(async () => {
    host = new TestHost();
    image = await busybox();
  });
  afterAll(() => host[Symbol.asyncDispose]());

  const gone = (): Promise<void> =>
    until(
      'every container gone',
      async () => (await host.containers()).length === 0 && host.sandboxDirs().length === 0,
      5_000,
    );

  for (const signal of ['SIGKILL', 'SIGTERM', 'SIGHUP'] as const) {
    verifies(['LC-01'], `removes the container when the front end gets ${signal}`, async () => {
      const child = host.spawn(['run', '-i', image, 'sh', '-c', POLITE], { buffer: false });
      await new Promise((resolve) => child.stdout?.once('data', resolve));
      child.kill(signal);
      await child;
      await gone();
    });
  }

  verifies(
    ['LC-01', 'LC-04'],
    `leaves nothing after ${ROUNDS} SIGKILLs at random moments, half of them of stubborn servers`,
    async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const child = host.spawn(['run', '-i', image, 'sh', '-c', round % 2 === 0 ? STUBBORN : POLITE], {
          buffer: false,
        });
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 600));
        child.kill('SIGKILL');
        await child;
      }
      await gone();
    },
  );

  verifies(['LC-04'], 'starts ten side by side, five times, and leaves nothing', async () => {
    for (let round = 0; round < 5; round += 1) {
      const ran = await Promise.all(
        Array.from({ length: 10 }, (_, n) => host.sandbox(['run', image, 'sh', '-c', `echo ${n}`])),
      );
      expect(ran.map(({ exitCode, stdout }) => [exitCode, stdout])).toEqual(ran.map((_, n) => [0, `${n}\n`]));
    }
    await gone();
  });

  verifies(['LC-02', 'RUN-13'], 'kills after the grace what ignores TERM and says 137', async () => {
    const started = await host.sandbox(['run', '-d', '--name', 'ucp-e2e-stubborn', image, 'sh', '-c', STUBBORN]);
    expect(started.exitCode).toBe(0);
    const stopped = await host.sandbox(['stop', '-t', '1', 'ucp-e2e-stubborn']);
    expect(stopped.exitCode).toBe(0);
    const shown = JSON.parse((await host.sandbox(['inspect', '--json', 'ucp-e2e-stubborn'])).stdout) as {
      exitCode: number;
    }[];
    expect(shown[0]?.exitCode).toBe(137);
    expect((await host.sandbox(['rm', 'ucp-e2e-stubborn'])).exitCode).toBe(0);
  });

  verifies(['RUN-13'], 'forwards signals to the workload', async () => {
    const script =
      'for s in INT TERM HUP QUIT USR1 USR2; do trap "echo got $s; exit 7" $s; done; echo up; while :; do sleep 0.05; done';
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const) {
      const child = host.spawn(['run', image, 'sh', '-c', script], { stdin: 'ignore' });
      await new Promise((resolve) => child.stdout?.once('data', resolve));
      child.kill(signal);
      const ended = await child;
      expect([signal, ended.exitCode, String(ended.stdout)]).toEqual([signal, 7, `up\ngot ${signal.slice(3)}\n`]);
    }
  });

  verifies(['RUN-13'], 'stops at the second interrupt and kills at the third', async () => {
    const child = host.spawn(['run', '--stop-timeout', '30', image, 'sh', '-c', STUBBORN], { stdin: 'ignore' });
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    for (let press = 0; press < 3; press += 1) {
      child.kill('SIGINT');
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect((await child).exitCode).toBe(137);
    await gone();
  });
});
