import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import { NODES } from './helpers/dialogs.ts';
import { nodeBinary, program } from './helpers/packages.ts';
import { PRELOAD, run, type RunOptions } from './helpers/run.ts';

const FULL = process.env['UCP_FULL'] === '1';
const policy = { js_sensor: {} };
let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'ucp-js-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

describe.each(FULL ? NODES : ([24] as const))('on Node %i', (major) => {
  const start = async (argv: readonly string[], options: RunOptions = {}) =>
    await run(argv, { node: await nodeBinary(major), loading: 'NODE_OPTIONS', policy, ...options });

  for (const [loading, flags, env] of [
    ['NODE_OPTIONS', [], {}],
    // No thread may be given these.
    ['import', ['--max-old-space-size=512', '--expose-gc'], { NODE_OPTIONS: '--title=x' }],
  ] as const) {
    verifies(['EX-20'], `children and threads load nothing before the sensor (${loading})`, async () => {
      const argv = [await program('v1', 'injection.mjs'), PRELOAD, directory];
      const ran = await start(argv, { loading, flags, env });
      expect({ code: ran.exitCode, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
      const found = JSON.parse(ran.stdout) as Record<string, readonly string[]>;
      const said = Object.entries(found).map(([name, lines]) => [name, [...new Set(lines)].join()]);
      expect(said.filter(([, lines]) => lines !== 'early true')).toEqual([]);
      expect(said.length).toBeGreaterThan(14);
    });
  }

  verifies(['EX-20'], 'a flag of the command line and NODE_REPL_EXTERNAL_MODULE come after the sensor', async () => {
    const early = await program('v1', 'early.cjs');
    expect((await start(['-e', '0'], { flags: ['--require', early] })).stdout).toBe('early true\n');
    const repl = await start(['-i'], { env: { NODE_REPL_EXTERNAL_MODULE: early }, input: '' });
    expect(repl.stdout).toContain('early true\n');
  });
});
