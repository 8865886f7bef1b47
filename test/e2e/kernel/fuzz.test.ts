import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const SOURCES = resolve(import.meta.dirname, '../../../sensors/kernel');
const BUILT = resolve(import.meta.dirname, '../../../node_modules/.cache/ucp-asan');
const FULL = process.env['UCP_FULL'] === '1';

/** Each parser of a privileged program's protocol, by its folder; how many inputs it is sent. */
const PARSERS = [
  ['ucp-kernel', 'exec', 30_000],
  ['ucp-hold', 'hold', 5_000],
  ['ucp-trace', 'trace', 5_000],
] as const;

describe("a helper's parser, fuzzed", () => {
  let dir: string;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'ucp-fuzz-'));
    for (const name of ['found', 'crash']) mkdirSync(join(dir, name));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const crashes = (): readonly string[] => readdirSync(join(dir, 'crash'));

  /** Sends this many inputs that libFuzzer makes of the program's corpus. */
  const fuzz = async (
    program: string,
    folder: string,
    runs: number,
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ failed: boolean; stdout: string }> => {
    await execa('make', ['--silent', '-C', join(SOURCES, folder), 'test-fuzz', `OUT=${BUILT}`], { stderr: 'inherit' });
    const settings = [`-runs=${runs}`, '-seed=20261121', '-max_len=8192', `-artifact_prefix=${dir}/crash/`];
    const words = `-dict=${join(SOURCES, 'common/fuzz/words.dict')}`;
    const corpora = [join(dir, 'found'), join(SOURCES, folder, 'fuzz/corpus')];
    return execa(join(BUILT, `${program}-fuzz`), [...settings, words, ...corpora], { env, reject: false });
  };

  test.each(PARSERS)('answers whatever it is sent: %s', { timeout: 1_800_000 }, async (program, folder, few) => {
    const wanted = FULL ? 1_000_000 : few;
    const { failed, stdout } = await fuzz(program, folder, wanted);
    expect(crashes()).toEqual([]);
    expect(failed).toBe(false);
    const { runs, accepted, refused } = JSON.parse(stdout) as Record<string, number>;
    expect(runs).toBeGreaterThanOrEqual(wanted);
    // It gets through to what is behind the parser, and to what refuses.
    expect(Math.min(accepted ?? 0, refused ?? 0)).toBeGreaterThan(wanted / 10);
  });

  test('would be caught', async () => {
    expect(await fuzz('ucp-kernel', 'exec', 1_000_000, { UCP_FUZZ_PLANT: '1' })).toMatchObject({ failed: true });
    expect(crashes()).toHaveLength(1);
  });
});
