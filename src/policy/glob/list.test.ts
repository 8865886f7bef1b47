import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { UcpError } from '../../core/errors.ts';
import { globList } from './glob-list.ts';
import { nameList } from './name-list.ts';
import { globListSource } from './source.ts';

function scan(globs: readonly string[], path: string): number {
  return globs.findIndex((glob) => new RegExp(globListSource([glob]), 'u').test(path));
}

function accepted(glob: string): boolean {
  try {
    globListSource([glob]);
    return true;
  } catch (error) {
    if (error instanceof UcpError) return false;
    throw error;
  }
}

describe('globList', () => {
  it('names the first rule that covers a path', () => {
    const list = globList(['/usr/bin/curl', '**/curl', '/tmp/**', '/opt/*/bin/*', '**', '/usr/bin/curl']);
    expect(
      ['/usr/bin/curl', '/bin/curl', '/tmp/a/b', '/opt/x/bin/y', '/etc/x', '/tmp'].map((path) => list.find(path)),
    ).toEqual([0, 1, 2, 3, 4, 4]);
  });

  it('covers nothing when empty', () => {
    expect(globList([]).find('/a')).toBe(-1);
  });

  it('takes doubled slashes as one', () => {
    expect(globList(['/usr/bin/*']).find('//usr///bin//x')).toBe(0);
  });

  it('finds what asking rule by rule finds', () => {
    const piece = fc.constantFrom(...'a b ab / / / * ** ** ? [ab] {a,b} +(a) !(a) .b .. .'.split(' '));
    const glob = fc.array(piece, { minLength: 1, maxLength: 7 }).map((pieces) => pieces.join(''));
    const path = fc
      .array(fc.constantFrom('a', 'b', 'ab', '/', '/', '.b', '..'), { maxLength: 8 })
      .map((pieces) => pieces.join('').replaceAll(/\/{2,}/g, '/'));
    fc.assert(
      fc.property(
        fc.array(glob, { maxLength: 12 }),
        fc.array(path, { minLength: 5, maxLength: 5 }),
        (patterns, paths) => {
          const globs = patterns.filter(accepted);
          const list = globList(globs);
          expect(paths.map((text) => list.find(text))).toEqual(paths.map((text) => scan(globs, text)));
        },
      ),
      { numRuns: 4_000 },
    );
  });
});

describe('nameList', () => {
  it.each([
    ['delete_file', ' delete_file ', 0],
    ['delete_file', 'delete_\uff46ile', 0],
    ['ﬁle', 'file', 0],
    ['delete_file', 'Delete_file', -1],
    ['delete_file', 'delete_file2', -1],
    ['delete_*', 'delete_/x/y', 0],
    ['*', '', 0],
    ['*_admin_*', 'x_admin_y', 0],
    ['a*a', 'a', -1],
    ['a*b*b', 'ab', -1],
    ['[x]?{y}', '[x]?{y}', 0],
    ['[x]?{y}', 'xzy', -1],
  ])('%j and %j: %i', (rule, name, expected) => {
    expect(nameList([rule]).find(name)).toBe(expected);
  });

  it('names the first rule that covers a name', () => {
    const list = nameList(['zz', 'fs_*', '*_file', 'fs_read_file']);
    expect(['fs_read_file', 'x_file', 'zz', 'y'].map((name) => list.find(name))).toEqual([1, 2, 0, -1]);
  });
});
