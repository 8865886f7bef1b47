import { describe, expect, test } from 'vitest';

import { compileNetwork } from '../policy/index.ts';
import { assertDistinguishable, unreachablePorts } from './ambiguity.ts';
import { networkRules } from './rules.ts';

function rulesOf(from: string[] | undefined, remediate = true) {
  const ingress = from === undefined ? {} : { ingress: from.length === 0 ? [] : [{ ports: [8080], from }] };
  return networkRules(compileNetwork({ network: { c: { remediate, ...ingress } } }, 'c'));
}

const on = (address: string, protocol: 'tcp' | 'udp' = 'tcp') => [{ address, containerPort: 8080, protocol }];

describe('what `from` can be told apart', () => {
  test.each([
    [['127.0.0.1'], '127.0.0.1'],
    [['0.0.0.0/0'], '127.0.0.1'],
    [['0.0.0.0/0'], '0.0.0.0'],
    [['192.0.2.0/24'], '0.0.0.0'],
    [['192.0.2.0/24', '0.0.0.0/0', '127.0.0.1'], '192.0.2.1'],
    [['0.0.0.0/0', '::/0'], '::'],
    [undefined, '::'],
  ])('%j on %s', (from, address) => {
    expect(() => assertDistinguishable(rulesOf(from), on(address))).not.toThrow();
  });

  test.each([
    [['127.0.0.1'], '0.0.0.0'],
    [['127.0.0.0/8', '192.0.2.0/24'], '192.0.2.1'],
    [['::1'], '0.0.0.0'],
    [['0.0.0.0/0'], '::'],
    [['::/0'], '2001:db8::1'],
  ])('%j not on %s', (from, address) => {
    expect(() => assertDistinguishable(rulesOf(from), on(address))).toThrow(
      expect.objectContaining({ code: 'INGRESS_AMBIGUOUS' }),
    );
  });
});

describe('a published port that nobody reaches', () => {
  test.each([
    [[], '127.0.0.1', 'tcp', 1],
    [['192.0.2.0/24'], '127.0.0.1', 'tcp', 1],
    [['192.0.2.0/24'], '0.0.0.0', 'tcp', 0],
    [['127.0.0.1'], '127.0.0.1', 'tcp', 0],
    [['0.0.0.0/0'], '127.0.0.1', 'udp', 1],
    [undefined, '127.0.0.1', 'udp', 0],
  ] as const)('from %j on %s/%s: %i', (from, address, protocol, count) => {
    expect(unreachablePorts(rulesOf(from && [...from]), on(address, protocol))).toHaveLength(count);
  });

  test('is none where it is only observed', () => {
    expect(unreachablePorts(rulesOf([], false), on('127.0.0.1'))).toEqual([]);
  });
});
