import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { endMarker, goLine } from '../../../src/core/init-protocol.ts';
import { InitProgram, sh, type InitProcess } from './init-program.ts';
import type { InitConnection } from './init-socket.ts';

const NONCE = '0123456789abcdef0123456789abcdef';

let init: InitProgram;
beforeAll(async () => {
  init = await InitProgram.build();
});
afterEach(() => init.reset());
afterAll(() => init[Symbol.asyncDispose]());

/** Writes to a pipe that doesn't block until it takes nothing more. */
function fill(pipe: number): void {
  try {
    for (;;) writeSync(pipe, Buffer.alloc(4096));
  } catch (error) {
    if (!String(error).includes('EAGAIN')) throw error;
  }
}

describe('the end marker', () => {
  const marker = endMarker(NONCE);

  test('follows the last byte on stdout and stderr', async () => {
    const [process] = await init.going(sh('printf out; printf err >&2'), NONCE);
    const { stdout, stderr } = await process.ended;
    expect(stdout).toEqual(Buffer.concat([Buffer.from('out'), marker]));
    expect(stderr).toBe(`err${marker.toString('latin1')}`);
  });

  test('is not written unless one is asked for', async () => {
    const [process] = await init.going(sh('printf out'));
    expect(await process.ended).toMatchObject({ stdout: Buffer.from('out'), stderr: '' });
  });

  test('stands behind 20 MB, also on a pipe that does not block', async () => {
    const socket = await init.listen();
    const script = 'process.stdout._handle.setBlocking(false); process.stdout.write(Buffer.alloc(20e6, 120))';
    const process = init.run(['bash', '-c', '"$@" | { sleep 0.2; cat; }', 'bash', init.path, execPath, '-e', script]);
    const connection = await socket.ready();
    connection.send(goLine(NONCE));
    const { stdout } = await process.ended;
    expect([stdout.length, stdout.subarray(-marker.length).equals(marker)]).toEqual([20e6 + marker.length, true]);
    expect(connection.text).toBe('ready 1\nexit 0\n');
  });

  test('does not wait for a background process that holds the output', async () => {
    const [process, connection] = await init.going(sh('sleep 60 & echo done'), NONCE);
    await connection.said('exit 0\n');
    expect(process.child.exitCode ?? 0).toBe(0);
    await process.wrote(marker.toString('latin1'));
  });

  describe('on a pipe that is full and that nobody reads', () => {
    let pipe: number;
    beforeAll(() => {
      const path = join(init.dir, 'pipe');
      execFileSync('mkfifo', [path]);
      pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
      fill(pipe);
    });
    afterAll(() => closeSync(pipe));

    /** An init whose workload has ended with 6 and that can't write the marker. */
    const stuck = async (): Promise<[InitProcess, InitConnection]> => {
      const socket = await init.listen();
      const process = init.start(sh('echo up >&2; read x; exit 6'), {}, pipe);
      const connection = await socket.ready();
      connection.send(goLine(NONCE));
      await new Promise((resolve) => process.child.stderr?.once('data', resolve));
      process.child.stdin?.end('\n');
      await expect.poll(() => process.children()).toEqual([]);
      expect(connection.text).toBe('ready 1\n');
      return [process, connection];
    };

    test('is given up when the control plane goes away', async () => {
      const [process, connection] = await stuck();
      connection.close();
      expect((await process.ended).code).toBe(6);
    });

    test('is given up when init is told to end', async () => {
      const [process, connection] = await stuck();
      process.child.kill('SIGTERM');
      expect((await process.ended).code).toBe(6);
      await connection.said('exit 6\n');
    });

    test('is written when there is room again', async () => {
      const [process, connection] = await stuck();
      const read = Buffer.alloc(1 << 20);
      readSync(pipe, read);
      await connection.said('exit 6\n');
      expect((await process.ended).code).toBe(6);
      expect(read.subarray(0, readSync(pipe, read))).toEqual(marker);
    });
  });

  test('is no obstacle when the reader has gone', async () => {
    const [process, connection] = await init.waiting(sh('read x; exit 3'));
    process.child.stdout?.destroy();
    process.child.stderr?.destroy();
    connection.send(goLine(NONCE));
    process.child.stdin?.end('\n');
    await connection.said('exit 3\n');
    expect((await process.ended).code).toBe(3);
  });
});
