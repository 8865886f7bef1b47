import { execFileSync, spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { beforeAll, describe, expect, it } from 'vitest';

import { verifies } from '../helpers/verifies.ts';

/** The Python sensor's own tests are Python; they run here so that `npm test` runs them. */
const ROOT = join(import.meta.dirname, '../../..');
const SENSOR = join(ROOT, 'sensors/python');
const TOOLS = join(ROOT, '.cache/python/tools');
const FULL = process.env['UCP_FULL'] === '1';
const MINUTE = 60_000;

/** Runs a tool of the cached environment in the sensor's directory; what it said, and how it ended. */
function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): { code: number; said: string } {
  const done = spawnSync(command, args, {
    cwd: SENSOR,
    encoding: 'utf8',
    env: { ...process.env, UCP_NODE: process.execPath, ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
  return { code: done.status ?? -1, said: `${done.stdout}${done.stderr}` };
}

const tool = (name: string): string => join(TOOLS, 'bin', name);
const passed = { code: 0, said: expect.any(String) };

/** One interpreter of each other supported version that this machine has: pyenv's, the one on PATH, or Debian's. */
function otherPythons(): readonly string[] {
  const pyenv = process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv');
  return ['3.10', '3.12', '3.13', '3.14'].flatMap((version) => {
    const candidates = [...globSync(`${pyenv}/versions/${version}*/bin/python${version}`), `python${version}`];
    candidates.push(join(ROOT, `.cache/python/${version}/bin/python${version}`)); // Made by `setup-python.sh --full`.
    return candidates.filter((python) => spawnSync(python, ['-c', '']).status === 0).slice(0, 1);
  });
}

const PYTHONS = [tool('python'), ...otherPythons()];

/** Runs one file of the sensor's end-to-end tests, so many tests at a time: each is programs of its own. */
const suite =
  (file: string, atOnce = 2) =>
  (): void => {
    expect(run(tool('python'), ['-m', 'pytest', `tests/e2e/${file}`, '-x', '-n', `${atOnce}`])).toEqual(passed);
  };

describe('the Python sensor', { timeout: (FULL ? 40 : 8) * MINUTE }, () => {
  beforeAll(() => {
    execFileSync(join(ROOT, 'scripts/setup-python.sh'), FULL ? ['--full'] : [], { stdio: 'inherit' });
  }, 10 * MINUTE);

  it.each([
    ['ruff', ['check', '.']],
    ['ruff', ['format', '--check', '.']],
    ['mypy', []],
  ])('has nothing to say for %s %j', (name, args) => {
    expect(run(tool(name), args)).toEqual(passed);
  });

  verifies(['PY-07'], `decides the same on ${PYTHONS.length} versions of Python, all that this machine has`, () => {
    // pytest is Python alone: the cached one serves every version.
    const env = { PYTHONPATH: join(TOOLS, 'lib/python3.11/site-packages') };
    const done = PYTHONS.map((python) => run(python, ['-m', 'pytest', 'tests/unit'], env));
    expect(done).toEqual(done.map(() => passed));
  });

  if (FULL) {
    verifies(['PY-01'], 'is loaded the same way on every version', () => {
      const env = { PYTHONPATH: join(TOOLS, 'lib/python3.11/site-packages') };
      const done = PYTHONS.slice(1).map((python) => run(python, ['-m', 'pytest', 'tests/e2e/test_loading.py'], env));
      expect(done).toEqual(done.map(() => passed));
    });
  }

  verifies(['BC-3260'], 'BC-3260: start, Ctrl+C, again and again: no run hangs', suite('test_bc_3260.py', 0));
  verifies(['PY-01'], 'is loaded without the program noticing', suite('test_loading.py'));
  verifies(['PY-01'], 'is a wheel of the same bytes every time', suite('test_wheel.py', 0));
  verifies(['PY-02'], 'enforces on real MCP libraries', suite('test_mcp.py'));
  verifies(['PY-02'], 'pins tools to what was listed first', suite('test_mcp_pins.py'));
  verifies(['PY-02', 'MCP-08'], 'decides what a server may ask, and on notifications', suite('test_mcp_methods.py'));
  verifies(['PY-02'], 'judges results that are fetched later', suite('test_mcp_tasks.py'));
  verifies(['PY-03'], 'survives bugs of its own and late starts', suite('test_faults.py'));
  verifies(['PY-04'], 'judges agent cards on real A2A libraries', suite('test_a2a.py'));
  verifies(['PY-05'], 'tells of calls of models', suite('test_llm.py'));
  verifies(['PY-02', 'PY-05'], 'sends exactly these events, and links tools to models', suite('test_golden.py'));
  verifies(['PY-06'], 'tells of what agent frameworks do', suite('test_frameworks.py'));
});
