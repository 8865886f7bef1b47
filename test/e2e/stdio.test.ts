import { randomBytes } from 'node:crypto';

import { afterAll, beforeAll, describe, expect } from 'vitest';

import { busybox } from '../images/index.ts';
import { until } from './helpers/docker.ts';
import { TestHost } from './helpers/host.ts';
import { verifies } from './helpers/verifies.ts';

describe('stdin and stdout', () => {
  let host: TestHost;
  let image: string;

  beforeAll(async () => {
    host = new TestHost();
    image = await busybox();
  });
  afterAll(() => host[Symbol.asyncDispose]());

  const echo = async (input: Uint8Array): Promise<Uint8Array> => {
    const ran = await host.spawn(['run', '-i', image, 'cat'], { input, encoding: 'buffer' });
    expect(ran.exitCode).toBe(0);
    return ran.stdout as unknown as Uint8Array;
  };

  verifies(
    ['MCP-06', 'LC-07'],
    'is byte-exact for partial lines, CRLF, NUL, invalid UTF-8 and look-alikes of its own marker',
    async () => {
      const input = Buffer.concat([
        Buffer.from('{"a":1}\r\nno newline \0ucp-end:'),
        Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0]),
        Buffer.from('\0ucp-end:00000000000000000000000000000000\0tail'),
      ]);
      expect(Buffer.compare(await echo(input), input)).toBe(0);
    },
  );

  verifies(['MCP-06', 'LC-07'], 'carries one 10 MB line', async () => {
    const input = Buffer.from(`${randomBytes(5_000_000).toString('hex')}\n`);
    expect(Buffer.compare(await echo(input), input)).toBe(0);
  });

  verifies(['RUN-14', 'LC-07'], 'half-closes stdin at its end and goes on with the output', async () => {
    const ran = await host.sandbox(['run', '-i', image, 'sh', '-c', 'cat >/dev/null; echo after-end'], {
      stdin: 'pipe',
      input: 'x',
    });
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'after-end\n' });
  });

  verifies(['LC-07'], 'gives a workload without -i an empty stdin', async () => {
    expect(await host.sandbox(['run', image, 'sh', '-c', 'cat; echo end'])).toMatchObject({
      exitCode: 0,
      stdout: 'end\n',
    });
  });

  verifies(['RUN-14'], 'ends the sandbox when the reader of stdout goes away', async () => {
    const child = host.spawn(['run', image, 'sh', '-c', 'while :; do echo line; done'], {
      stdin: 'ignore',
      buffer: false,
    });
    child.stdout?.once('data', () => child.stdout?.destroy());
    await child;
    await until('container gone', async () => (await host.containers()).length === 0);
  });

  verifies(['LC-01'], 'ends a stdio server that ignores the end of input', async () => {
    const ran = await host.sandbox(
      ['run', '--mcp', 'stdio', image, 'sh', '-c', 'trap "" TERM; echo up; while :; do sleep 1; done'],
      { stdin: 'pipe', input: '' },
    );
    expect(ran.stdout).toBe('up\n');
    await until('container gone', async () => (await host.containers()).length === 0, 3_000);
  });
});
