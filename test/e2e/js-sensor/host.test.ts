import { mkdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { execa } from 'execa';
import { expect, test } from 'vitest';

import { Collector } from './helpers/collector.ts';
import { writePolicy } from './helpers/policy.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

test('node --import ucp-sandbox/sensor: a process of the host finds the control plane of its user by itself', async () => {
  await using collector = await Collector.listening();
  const host = join(collector.directory, 'host');
  mkdirSync(host);
  symlinkSync(collector.socket, join(host, 'sensor.sock'));
  writePolicy(join(host, 'policy.json'), { js_sensor: {} });
  const ran = await execa(process.execPath, ['--import', 'ucp-sandbox/sensor', '-e', 'console.log("ran")'], {
    cwd: ROOT,
    extendEnv: false,
    env: { UCP_STATE_DIR: collector.directory },
  });
  expect(ran).toMatchObject({ stdout: 'ran', stderr: '' });
  await collector.until((lines) => lines.length > 0);
  expect(collector.lines).toMatchObject([{ name: 'sensor_started', body: { mode: 'host', runtime: 'node' } }]);
});

test('without a control plane the program runs as if nothing was there', async () => {
  const env = { UCP_STATE_DIR: '/nonexistent' };
  const source = 'console.log(Object.getOwnPropertyNames(globalThis).filter((name) => /ucp/i.test(name)))';
  const ran = await execa(process.execPath, ['--import', 'ucp-sandbox/sensor', '-e', source], { cwd: ROOT, env });
  expect(ran).toMatchObject({ stdout: '[]', stderr: '' });
});
