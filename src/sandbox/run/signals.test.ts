import { EventEmitter } from 'node:events';

import { expect, test } from 'vitest';

import { forwardSignals, type SignalKind } from './signals.ts';

/** What these signals do, in order. */
function done(kind: SignalKind, ...signals: readonly string[]): readonly string[] {
  const source = new EventEmitter();
  const acts: string[] = [];
  const release = forwardSignals(
    source,
    {
      forward: (signal) => acts.push(signal),
      stop: () => acts.push('stop'),
      kill: () => acts.push('kill'),
      killAfterGrace: () => acts.push('kill later'),
    },
    kind,
  );
  for (const signal of signals) source.emit(signal);
  release();
  expect(source.eventNames()).toEqual([]);
  return acts;
}

test.each([
  ['none', 'SIGINT', ['SIGINT']],
  ['none', 'SIGHUP', ['SIGHUP']],
  ['none', 'SIGTERM', ['SIGTERM', 'kill later']],
  ['terminal', 'SIGHUP', ['SIGHUP', 'kill later']],
  ['server', 'SIGINT', ['SIGINT', 'kill later']],
  ['server', 'SIGHUP', ['SIGHUP', 'kill later']],
  ['server', 'SIGUSR1', ['SIGUSR1']],
] as const)('of %s, %s', (kind, signal, expected) => {
  expect(done(kind, signal)).toEqual(expected);
});

test('the second interrupt stops, the third kills', () => {
  expect(done('none', 'SIGINT', 'SIGINT', 'SIGINT')).toEqual(['SIGINT', 'stop', 'kill']);
});
