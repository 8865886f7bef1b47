import { expect, test } from 'vitest';

import { type Ancestor, Causes, lineageOf } from './causes.ts';

const SECOND = 1e9;
const CALL = { 'jsonrpc.request.id': '7', 'mcp.method.name': 'tools/call', 'mcp.target.name': 'build' };
const CAUSE = { ...CALL, 'gen_ai.tool.name': 'build', 'ucp.cause.event': 'e1' };

/** A thread says that it is about to start a process, for a request or for none. */
function announced(causes: Causes, tid: number, at: number, attributes: Record<string, string> = CALL): void {
  causes.announce({ id: 'e1', body: { tid, clock_ns: at }, attributes });
}

const born = (pidInside: number, at: number, by: number): Ancestor => ({ pidInside, born: at, by });

test('the next child of the thread is caused by the request, and so is what comes from it', () => {
  const causes = new Causes();
  announced(causes, 5, SECOND);
  const child = born(20, SECOND + 1, 5);
  expect(causes.of([child])).toEqual(CAUSE);
  expect(causes.of([born(21, SECOND + 2, 20), child])).toEqual(CAUSE);
});

test('neither an earlier child nor that of another thread is caused by it, nor one a minute later', () => {
  const causes = new Causes();
  announced(causes, 5, SECOND);
  expect(causes.of([born(20, SECOND - 1, 5)])).toBeUndefined();
  expect(causes.of([born(20, SECOND + 1, 6)])).toBeUndefined();
  expect(causes.of([born(20, 62 * SECOND, 5)])).toBeUndefined();
  expect(causes.of([born(20, 60 * SECOND, 5)])).toEqual(CAUSE);
});

test('a thread that goes on without a request causes nothing more', () => {
  const causes = new Causes();
  announced(causes, 5, SECOND);
  announced(causes, 5, 2 * SECOND, {});
  expect(causes.of([born(20, 3 * SECOND, 5)])).toBeUndefined();
  expect(causes.of([born(19, 1.5 * SECOND, 5)])).toEqual(CAUSE);
});

test('a number that is given again is another process', () => {
  const causes = new Causes();
  announced(causes, 5, SECOND);
  expect(causes.of([born(20, SECOND + 1, 5)])).toEqual(CAUSE);
  expect(causes.of([born(20, SECOND + 9, 0)])).toBeUndefined();
  causes.ended(20);
  expect(causes.of([born(20, SECOND + 1, 0)])).toBeUndefined();
});

test('a violation that is told of again keeps its cause when its process is gone', () => {
  const causes = new Causes();
  expect(causes.any).toBe(false);
  announced(causes, 5, SECOND);
  expect(causes.any).toBe(true);
  expect(causes.ofViolation(900, [born(20, SECOND + 1, 5)])).toEqual(CAUSE);
  expect(causes.ofViolation(900, [])).toEqual(CAUSE);
  expect(causes.ofViolation(901, [])).toBeUndefined();
});

test('what a helper says wrongly is nothing', () => {
  expect(lineageOf('x')).toEqual([]);
  expect(lineageOf([{ pid: 'a', born: Infinity }])).toEqual([{ pid: 0, pidInside: 0, born: 0, by: 0, comm: '' }]);
});
