import { describe, expect, test } from 'vitest';

import { UcpError } from '../core/errors.ts';
import { createOutput, printable, showsColour } from './output.ts';

function collect(isTTY = false, env: Record<string, string> = {}) {
  const written = { stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr') => ({
    isTTY,
    write: (text: string) => {
      written[name] += text;
    },
  });
  return { written, io: { stdout: stream('stdout'), stderr: stream('stderr'), env } };
}

describe('output', () => {
  test('answers as text, or as one JSON line', () => {
    const { written, io } = collect();
    createOutput(io, {}).answer({ a: 1 }, () => 'one');
    createOutput(io, { json: true }).answer({ a: 1 }, () => 'one');
    expect(written).toEqual({ stdout: 'one\n{"a":1}\n', stderr: '' });
  });

  test('reports a failure with code and pointer, and as a JSON record that carries the exit code', () => {
    const { written, io } = collect();
    const error = new UcpError('USAGE', 'bad\u001b[31m', { pointer: '/exec' });
    createOutput(io, {}).failure(error, 2);
    expect(written.stderr).toBe('error USAGE: bad\\u001b[31m (at /exec)\n');
    written.stderr = '';
    createOutput(io, { json: true }).failure(error, 2);
    expect(JSON.parse(written.stderr)).toEqual({
      outcome: 'error',
      code: 'USAGE',
      message: 'bad\u001b[31m',
      pointer: '/exec',
      exitCode: 2,
    });
  });

  test('keeps remarks to people', () => {
    const { written, io } = collect();
    createOutput(io, { json: true }).note('by the way');
    expect(written.stderr).toBe('');
  });

  test.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
    [false, { FORCE_COLOR: '1' }, true],
    [true, { FORCE_COLOR: '0' }, false],
    [true, { TERM: 'dumb' }, false],
  ])('terminal %s with %j shows colours: %s', (isTTY, env, shown) => {
    const { io } = collect(isTTY, env);
    expect(showsColour(io.stdout, io.env)).toBe(shown);
  });

  test('spells out what would steer a terminal', () => {
    expect(printable('a\u009b1m\u202eb\tc\n')).toBe('a\\u009b1m\\u202eb\tc\n');
  });
});
