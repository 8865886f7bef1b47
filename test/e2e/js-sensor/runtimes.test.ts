import { chmodSync } from 'node:fs';
import { join } from 'node:path';

import { execa } from 'execa';
import { describe, expect, test } from 'vitest';

import { Collector } from './helpers/collector.ts';
import { packages, program } from './helpers/packages.ts';
import { denyOn, writePolicy } from './helpers/policy.ts';
import { PRELOAD, run } from './helpers/run.ts';

const FULL = process.env['UCP_FULL'] === '1';

/** Program and flags, from the set `runtimes`, of what is not Node. */
const OTHERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  bun: ['@oven/bun-linux-x64/bin/bun', '--preload', PRELOAD],
  deno: ['@deno/linux-x64-glibc/deno', 'run', '--allow-all', '--require', PRELOAD],
};

// The packages are two hundred megabytes.
describe.each(FULL ? Object.entries(OTHERS) : [])('%s', (runtime, [file, ...flags]) => {
  test('is told to be out of the reach of MCP rules, and runs', async () => {
    const binary = join(await packages('runtimes'), 'node_modules', file);
    chmodSync(binary, 0o755);
    await using collector = await Collector.listening();
    const policyFile = join(collector.directory, 'policy.json');
    writePolicy(policyFile, denyOn('client'));
    const child = execa(binary, [...flags, await program('runtimes', 'stays.mjs')], {
      extendEnv: false,
      stdin: 'pipe',
      env: { HOME: collector.directory, UCP_POLICY_FILE: policyFile, UCP_SENSOR_SOCKET: collector.socket },
    });
    await collector.until((lines) => lines.some(({ name }) => name === 'sensor_degraded'));
    child.stdin?.end();
    expect(await child).toMatchObject({ exitCode: 0, stdout: 'ran', stderr: '' });
    expect(collector.named('sensor_started')[0]?.body).toMatchObject({ runtime });
    expect(collector.named('sensor_degraded')[0]?.body).toMatchObject({ control: 'mcp' });
  });
});

test("the MCP client of Vercel's AI SDK is under the client's rules", async () => {
  const server = await program('v1', 'v1-server.mjs');
  const ran = await run([await program('ai', 'ai.mjs'), server], { policy: denyOn('client') });
  expect({ code: ran.exitCode, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(ran.stdout)).toMatchObject({ tools: ['echo'], danger: { code: -32010 }, echo: 'x' });
});
