import { resolve } from 'node:path';

import { expect, test } from 'vitest';

import { definitionFlags } from './definition-flags.ts';
import { parseAdd } from './parse-add.ts';
import { runArguments } from './run-arguments.ts';

const flagsOf = (...args: string[]): readonly string[] => {
  const parsed = parseAdd(['n', ...args, 'img']);
  return parsed === undefined ? [] : definitionFlags(parsed.run, { TOKEN: 'secret' });
};

test('name, own flags, flags of run, image and arguments are told apart', () => {
  expect(parseAdd(['--force', 'files', '-v', './a:/a', '--no-check', 'img', '--force', '-e', 'x'])).toMatchObject({
    name: 'files',
    force: true,
    check: false,
    run: { image: 'img', command: ['--force', '-e', 'x'] },
  });
  expect(parseAdd(['files', '--', 'img'])).toMatchObject({
    name: 'files',
    force: false,
    check: true,
    run: { image: 'img' },
  });
  expect(parseAdd(['--help'])).toBeUndefined();
  expect(() => parseAdd(['files'])).toThrow(/No image/);
  expect(() => parseAdd([])).toThrow(/No name/);
});

test('paths become absolute, values of the environment stay names, what is implied goes', () => {
  expect(flagsOf('-v', './a:/a', '-i', '--rm', '--mcp=stdio', '-e', 'TOKEN', '--memory=1g', '--no-isolation')).toEqual([
    `--volume=${resolve('a')}:/a:ro`,
    '--env=TOKEN',
    '--memory=1g',
    '--no-isolation',
  ]);
  expect(flagsOf('--mount', 'type=bind,src=b,dst=/b,ro=false', '--policy=p.json')).toEqual([
    `--mount=type=bind,source=${resolve('b')},target=/b,readonly=false`,
    `--policy=${resolve('p.json')}`,
  ]);
});

test.each([['--name=x'], ['-d'], ['-t'], ['--explain'], ['--restart=always']])(
  '%s is no part of a definition',
  (flag) => {
    expect(() => flagsOf(flag)).toThrow(/cannot be part of a definition/);
  },
);

test('a definition runs from its pinned image, each time under another name', () => {
  const id = `sha256:${'a'.repeat(64)}`;
  const digest = `sha256:${'b'.repeat(64)}`;
  const definition = {
    version: 1,
    image: 'host:5000/a/img:tag',
    id,
    flags: ['--env=A'],
    command: ['x'],
    pinnedAt: '',
  } as const;
  const local = runArguments('n', definition);
  expect(local.slice(-3)).toEqual(['--env=A', id, 'x']);
  expect(local).toContain('--pull=never');
  expect(runArguments('n', { ...definition, digest })).toContain(`host:5000/a/img@${digest}`);
  const names = [local, runArguments('n', definition)].map((args) => args.find((arg) => arg.startsWith('--name=n-')));
  expect(new Set(names).size).toBe(2);
});
