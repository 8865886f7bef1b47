import { SHARE_ENV, type WorkerOptions } from 'node:worker_threads';

import { expect, test } from 'vitest';

import { acceptable, withSensor } from './workers.ts';

const REQUIRED = ['--require', '/p.cjs'];
const NODE_OPTIONS = '--require /p.cjs';

test.each<[string, WorkerOptions | undefined, WorkerOptions | undefined]>([
  ['no options', undefined, undefined],
  ['options that change nothing', { stdout: true }, { stdout: true }],
  ['an environment of its own', { env: { A: '1' } }, { env: { A: '1', NODE_OPTIONS } }],
  [
    'options of Node in it',
    { env: { NODE_OPTIONS: '--require ./x' } },
    { env: { NODE_OPTIONS: `${NODE_OPTIONS} --require ./x` } },
  ],
  ['the environment of the process', { env: process.env }, { env: process.env }],
  [
    'an environment that is shared',
    { env: SHARE_ENV, execArgv: ['-x'] },
    { env: SHARE_ENV, execArgv: [...REQUIRED, '-x'] },
  ],
  ['flags that have it', { env: SHARE_ENV, execArgv: REQUIRED }, { env: SHARE_ENV, execArgv: REQUIRED }],
])('%s', (_, options, expected) => {
  expect(withSensor(options, '/p.cjs')).toEqual(expected);
});

test('flags of its own stay what they are', () => {
  const options = withSensor({ execArgv: ['-x'] }, '/p.cjs');
  expect(options?.execArgv).toEqual(['-x']);
  expect(options?.env).toEqual({
    ...process.env,
    NODE_OPTIONS: expect.stringMatching(/^--require \/p\.cjs/) as string,
  });
});

test('text gets it beside the flags of the process', () => {
  expect(withSensor({ eval: true }, '/p.cjs')?.execArgv).toEqual([...REQUIRED, ...process.execArgv]);
});

const refusal = (flags: string) =>
  Object.assign(new Error(`Initiated Worker with invalid execArgv flags: ${flags}`), {
    code: 'ERR_WORKER_INVALID_EXEC_ARGV',
  });

test('flags of the process that no worker may be given are left out', () => {
  const options = { eval: true };
  const passed = { ...options, execArgv: [...REQUIRED, '--expose-gc', '-x'] };
  expect(acceptable(options, passed, { preload: '/p.cjs', error: refusal('--expose-gc, --a=1') })).toEqual({
    eval: true,
    execArgv: [...REQUIRED, '-x'],
  });
});

test('a NODE_OPTIONS that may not be changed stays, and the worker gets a flag', () => {
  const options = { env: { NODE_OPTIONS: '--title=x' } };
  const passed = withSensor(options, '/p.cjs');
  expect(acceptable(options, passed, { preload: '/p.cjs', error: refusal('--title=x') })).toEqual({
    ...options,
    execArgv: REQUIRED,
  });
});

test("an error that isn't about flags is the program's", () => {
  expect(acceptable({ eval: true }, {}, { preload: '/p.cjs', error: new TypeError('x') })).toBeUndefined();
});
