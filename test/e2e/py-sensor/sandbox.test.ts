import { resolve } from 'node:path';

import { afterAll, beforeAll, describe, expect } from 'vitest';

import { python } from '../../images/index.ts';
import { docker, until } from '../helpers/docker.ts';
import { SensorHost } from '../helpers/sensor-run.ts';
import { verifies } from '../helpers/verifies.ts';

const PROGRAMS = resolve(import.meta.dirname, '../../../sensors/python/tests/programs');
const RUNS = process.env['UCP_FULL'] === '1' ? 50 : 6;
const NAME = 'ucp-e2e-ctrl-c';

describe('a Python program in a sandbox', () => {
  let host: SensorHost;
  let image: string;
  beforeAll(async () => {
    image = await python();
    const tools = { '*': { deny_list: ['drop_table'] } };
    const mcp = { client: { tools }, server: { enable: false } };
    host = await SensorHost.open({ python_sensor: { remediate: true, mcp, runtime: { enable: true } } });
  });
  afterAll(() => host[Symbol.asyncDispose]());

  verifies(['PY-02', 'RUN-07'], 'neither lists nor calls a denied tool, and needs nothing but the run', async () => {
    const ran = await host.run('-v', `${PROGRAMS}:/app`, image, 'python3', '/app/mcp_stdio.py');
    expect(ran.exitCode).toBe(0);
    const seen = JSON.parse(ran.stdout.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
    expect(seen).toMatchObject({ tools: ['add', 'echo', 'fail'], add: '3', again: '4' });
    expect(seen['drop_table']).toMatchObject({ code: -32010, data: { policy: 'sensors' } });
    await until('both violations', () => host.violations('drop_table').length >= 2);
    expect(host.violations('drop_table')).toEqual([
      ['tools/list', 'ERROR'],
      ['tools/call', 'ERROR'],
    ]);
  });

  verifies(['BC-3260'], 'BC-3260: Ctrl+C, again and again: no run hangs', async () => {
    for (const round of Array.from({ length: RUNS }).keys()) {
      const program = ['python3', '/app/busy.py', round % 2 === 0 ? 'plain' : 'asyncio'];
      const run = host.spawn([...host.flags, '--name', NAME, '-v', `${PROGRAMS}:/app`, image, ...program], {
        stdin: 'ignore',
      });
      let said = '';
      run.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
      await until('the program is ready', () => said.includes('ready'), 60_000);
      run.kill('SIGINT');
      const { exitCode } = await run;
      expect([round, exitCode]).toEqual([round, 130]);
    }
    await until('the last one is removed', async () => (await docker('inspect', NAME)).exitCode !== 0);
  });
});
