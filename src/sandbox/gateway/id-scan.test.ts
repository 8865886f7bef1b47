import { array, assert, jsonValue, nat, oneof, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';

import { IdScan } from './id-scan.ts';

function scan(text: string, cuts: readonly number[] = []): IdScan['messages'] {
  const found = new IdScan();
  const bytes = Buffer.from(text);
  let from = 0;
  for (const cut of cuts) {
    found.push(bytes.subarray(from, from + cut));
    from += cut;
  }
  found.push(bytes.subarray(from));
  return found.messages;
}

describe('IdScan', () => {
  test('finds ids wherever they stand, at the level of messages only', () => {
    expect(scan('{"method":"m","params":{"id":1,"a":[{"id":2}]},"jsonrpc":"2.0","id":3}')).toEqual([
      { id: 3, hasMethod: true },
    ]);
    expect(scan('{"id":"a\\"b,{","result":{"method":"x"}}\n')).toEqual([{ id: 'a"b,{', hasMethod: false }]);
    expect(scan(' [ {"id": 1 , "method":"m"}, {"method":"n"} ]')).toEqual([
      { id: 1, hasMethod: true },
      { hasMethod: true },
    ]);
    expect(scan('{"id":null,"error":{}}')).toEqual([{ hasMethod: false }]);
    expect(scan('no JSON at "all')).toEqual([]);
  });

  test('finds the same in any pieces, whatever else the message holds', () => {
    assert(
      property(oneof(nat(), string()), jsonValue(), string(), array(nat(30)), (id, params, method, cuts) => {
        const text = JSON.stringify({ method, params: { id: 'other', params }, id });
        expect(scan(text, cuts)).toEqual([{ id, hasMethod: true }]);
      }),
    );
  });
});
