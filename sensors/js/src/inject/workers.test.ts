import { expect, test } from 'vitest';

import { withPreload } from './workers.ts';

const REQUIRED = ['--require', '/p.cjs'];

test.each([
  ['no options', undefined, undefined],
  ['options that change nothing', { stdout: true }, { stdout: true }],
  ['flags of its own', { execArgv: [] }, { execArgv: REQUIRED }],
  ['flags that have it', { execArgv: REQUIRED }, { execArgv: REQUIRED }],
  ['flags that import it', { execArgv: ['--import', '/p.cjs'] }, { execArgv: [...REQUIRED, '--import', '/p.cjs'] }],
])('%s', (_, options, expected) => {
  expect(withPreload(options, '/p.cjs')).toEqual(expected);
});

test.each([{ eval: true }, { env: {} }])('%j gets it, beside the flags of the process', (options) => {
  expect(withPreload(options, '/p.cjs')?.execArgv).toEqual([...REQUIRED, ...process.execArgv]);
});
