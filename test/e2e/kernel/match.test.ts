import { execa } from 'execa';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';

import { globList } from '../../../src/policy/glob/glob-list.ts';
import { globProblem } from '../../../src/policy/glob/source.ts';
import { buildHelper, sources } from './helper.ts';

const PAIRS = process.env['UCP_FULL'] === '1' ? 1_000_000 : 50_000;
/** More than are tried before a rule gets machine code: both ways are compared. */
const PATHS_PER_GLOB = 25;

const piece = fc.constantFrom(
  ...'a b ab * * ** ** ? / / / [ab] [!a] [^/b] \\* @(a|b) ?(b) +(a|b) *(ab) !(a) !(a|b*) {a,b} {,a/}b é \u{1f600} \u{fffd} - \n .'.split(
    ' ',
  ),
);
const glob = fc.array(piece, { minLength: 1, maxLength: 8 }).map((parts) => `/${parts.join('')}`);

/** Names as the kernel gives them: any bytes but NUL and the slash. */
const name = fc
  .array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.constantFrom(
          ...['a', 'b', 'ab', '*', '-', '.', 'é', '\u{1f600}', '\n'].map((text) => Buffer.from(text)),
        ),
      },
      { weight: 1, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 4 }).map((bytes) => Buffer.from(bytes)) },
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => Buffer.concat(parts).map((byte) => (byte === 0 || byte === 47 ? 0xf0 : byte)));
const path = fc
  .array(name, { minLength: 1, maxLength: 4 })
  .map((names) => Buffer.concat(names.flatMap((bytes) => [Buffer.from('/'), bytes])));

interface Pair {
  readonly glob: string;
  readonly path: Buffer;
}

function pairs(): readonly Pair[] {
  const groups = Math.ceil(PAIRS / PATHS_PER_GLOB);
  const seed = 20_261_121;
  const globs = fc.sample(
    glob.filter((text) => globProblem(text) === undefined),
    { numRuns: groups, seed },
  );
  const paths = fc.sample(path, { numRuns: groups * PATHS_PER_GLOB, seed });
  return paths.map((bytes, index) => ({ glob: globs[Math.floor(index / PATHS_PER_GLOB)] ?? '', path: bytes }));
}

function prefixed(bytes: Buffer): readonly Buffer[] {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return [length, bytes];
}

describe("the helper's matcher", () => {
  let program: string;

  beforeAll(async () => {
    program = await buildHelper();
  });

  const match = async (asked: readonly Pair[]): Promise<string> => {
    const compiled = new Map<string, Buffer>();
    for (const { glob: text } of asked) {
      if (!compiled.has(text)) compiled.set(text, Buffer.from(sources(text)[0] ?? ''));
    }
    const input = Buffer.concat(
      asked.flatMap((pair) => [...prefixed(compiled.get(pair.glob) ?? Buffer.alloc(0)), ...prefixed(pair.path)]),
    );
    return (await execa(program, ['--match'], { input })).stdout;
  };

  test('says what the policy says of any path, whatever its bytes', async () => {
    const asked = pairs();
    const verdicts = await match(asked);
    expect(verdicts).toHaveLength(asked.length);
    let last = '';
    let list = globList([]);
    const wrong = asked.filter((pair, index) => {
      if (pair.glob !== last) [last, list] = [pair.glob, globList([pair.glob])];
      return verdicts[index] !== (list.find(pair.path.toString()) < 0 ? '0' : '1');
    });
    expect(wrong.slice(0, 5).map((pair) => [pair.glob, pair.path.toString('latin1')])).toEqual([]);
    // Neither side says always the same.
    const matching = verdicts.replaceAll('0', '').length;
    expect(Math.min(matching, verdicts.length - matching)).toBeGreaterThan(PAIRS / 50);
  });

  test('has no limit that a path of 4095 bytes comes near to', async () => {
    const long = Buffer.from(`/${'ab'.repeat(2_046)}`);
    const deep = Buffer.from('/a'.repeat(2_047));
    const globs = ['/**/b', '/**/*b*c*', '/+(a|b)', '/!(c)', '/**/a/**/a/**/b', '/*a*a*a*a*b'];
    // Often enough to be matched without the JIT and with it.
    const both = Array.from({ length: 10 }, () => [long, deep]).flat();
    const asked = globs.flatMap((text) => both.map((bytes) => ({ glob: text, path: bytes })));
    const expected = asked.map((pair) => (globList([pair.glob]).find(pair.path.toString()) < 0 ? '0' : '1'));
    expect(await match(asked)).toBe(expected.join(''));
  });
});
