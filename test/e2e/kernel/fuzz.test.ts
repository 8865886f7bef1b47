import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { buildFuzzer } from './helper.ts';

const CORPUS = resolve(import.meta.dirname, '../../../sensors/kernel/exec/fuzz/corpus');
const RUNS = process.env['UCP_FULL'] === '1' ? 1_000_000 : 100_000;

describe("the helper's parser", () => {
  let dir: string;
  let program: string;

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'ucp-fuzz-'));
    program = await buildFuzzer();
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  const fuzz = async (runs: number, ...more: readonly string[]): Promise<{ failed: boolean; stdout: string }> =>
    execa(program, [String(runs), '20261121', CORPUS, ...more], {
      cwd: dir,
      env: { ASAN_OPTIONS: 'handle_abort=1' },
      reject: false,
    });

  test('answers whatever it is sent', async () => {
    const { failed, stdout } = await fuzz(RUNS);
    expect(existsSync(join(dir, 'crash'))).toBe(false);
    expect(failed).toBe(false);
    const { runs, accepted, refused } = JSON.parse(stdout) as Record<string, number>;
    expect(runs).toBe(RUNS);
    // It gets through to what is behind the parser, and to what refuses.
    expect(Math.min(accepted ?? 0, refused ?? 0)).toBeGreaterThan(RUNS / 10);
  });

  test('would be caught', async () => {
    expect(await fuzz(100_000, 'plant')).toMatchObject({ failed: true });
    expect(existsSync(join(dir, 'crash'))).toBe(true);
  });
});
