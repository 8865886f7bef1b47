import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect } from 'vitest';

import { storedLine } from '../../src/telemetry/event/stored-event.ts';
import { logFile } from '../../src/telemetry/log/files.ts';
import { critical } from '../../src/telemetry/testing/scene.ts';
import { busybox } from '../images/index.ts';
import { TestHost } from './helpers/host.ts';
import { verifies } from './helpers/verifies.ts';

const BIN = resolve(import.meta.dirname, '../../bin');
/** Far more than a pipe or a socket holds: a program that has written all of it has a reader. */
const LINES = 4_000;

type Printing = ChildProcessByStdio<null, Readable, Readable>;

/** Lines that arrive at a reader that takes nothing until the program has written all it can. */
async function readLate(child: Printing): Promise<number> {
  child.stdout.pause();
  const ended = once(child, 'close');
  while (child.stdout.readableLength === 0 && child.exitCode === null) {
    child.stdout.read(0);
    await delay(20);
  }
  await delay(300);
  const read = await text(child.stdout.resume());
  await ended;
  return read.split('\n').length - 1;
}

/** What a reader that goes away after the first bytes leaves behind. */
async function readLittle(child: Printing): Promise<{ readonly code: unknown; readonly stderr: string }> {
  const stderr = text(child.stderr);
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  child.stdout.destroy();
  const [code] = await ended;
  return { code, stderr: await stderr };
}

const line = (seq: number): string => storedLine(critical(seq), { id: `id-${seq}`, now: seq * 1000, boot: 'b', seq });

describe('what commands print', () => {
  let host: TestHost;
  let image: string;

  beforeAll(async () => {
    host = new TestHost();
    image = await busybox();
    const file = logFile(join(host.path('s'), 'log'), 1);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, Array.from({ length: LINES }, (_, seq) => `${line(seq)}\n`).join(''));
  });
  afterAll(async () => host[Symbol.asyncDispose]());

  const start = (program: string, ...args: readonly string[]): Printing =>
    spawn(process.execPath, [join(BIN, `${program}.js`), ...args], {
      env: { ...host.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  verifies(['OUT-01'], 'arrives whole at a slow reader', async () => {
    expect(await readLate(start('ucpd', 'logs', '--json'))).toBe(LINES);
    const things = 'things '.repeat(60);
    const script = `i=0; while [ $i -lt ${LINES} ]; do echo "line $i of a program that says a lot of ${things}"; i=$((i+1)); done`;
    await host.sandbox(['run', '-d', '--name', 'talks', image, 'sh', '-c', script]);
    const ended = async (): Promise<string> => (await host.sandbox(['ps', '-a', '--json'])).stdout;
    while (!(await ended()).includes('"exited"')) await delay(50);
    expect(await readLate(start('ucp-sandbox', 'logs', 'talks'))).toBe(LINES);
    expect(await readLate(start('ucp-sandbox', 'logs', '--json', 'talks'))).toBe(LINES);
    expect(await readLittle(start('ucp-sandbox', 'logs', '-f', 'talks'))).toEqual({ code: 141, stderr: '' });
    await host.sandbox(['rm', 'talks']);
  });

  verifies(['OUT-01'], 'ends quietly with a reader that goes', async () => {
    expect(await readLittle(start('ucpd', 'logs', '--json'))).toEqual({ code: 141, stderr: '' });
    expect(await readLittle(start('ucpd', 'logs'))).toEqual({ code: 141, stderr: '' });
    expect(await readLittle(start('ucpd', 'logs', '-f', '--json'))).toEqual({ code: 141, stderr: '' });
  });
});
