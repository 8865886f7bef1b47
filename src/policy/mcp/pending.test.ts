import { expect, test } from 'vitest';

import { PendingRequests } from './pending.ts';

const list = { method: 'tools/list', side: 'server', target: undefined, since: 0 } as const;
const ping = { ...list, method: 'ping' } as const;

test('an answer finds its request once', () => {
  const pending = new PendingRequests<object>();
  pending.add(1, list);
  expect(pending.answer(1)).toEqual([list]);
  expect(pending.answer(1)).toEqual([]);
  expect(pending.size).toBe(0);
});

test.each(['1', '01', ' 1 ', '1.0', '0x1'])('the answer %j belongs to request 1, as the SDKs see it', (id) => {
  const pending = new PendingRequests<object>();
  pending.add(1, list);
  expect(pending.answer(id)).toEqual([list]);
});

test('ids that are no numbers are texts', () => {
  const pending = new PendingRequests<object>();
  pending.add('a', list);
  expect(pending.answer('b')).toEqual([]);
  expect(pending.answer('a')).toEqual([list]);
});

test('an id in use twice gives each answer the treatment of both', () => {
  const pending = new PendingRequests<object>();
  pending.add(1, list);
  pending.add('1', ping);
  expect(pending.answer(1)).toEqual([list, ping]);
  expect(pending.answer('1')).toEqual([list, ping]);
  expect(pending.size).toBe(0);
});

test('requests that are never answered leave no growth', () => {
  const pending = new PendingRequests<object>();
  for (let id = 0; id < 10_000; id++) pending.add(id, ping);
  expect(pending.size).toBe(4096);
});

test('one request after the other, then several at once, are told apart', () => {
  const pending = new PendingRequests<string>();
  pending.add(1, 'a');
  expect([pending.size, pending.answer(2), pending.answer('1'), pending.answer(1)]).toEqual([1, [], ['a'], []]);
  pending.add(2, 'b');
  pending.add(3, 'c');
  pending.add('2', 'd');
  expect(pending.size).toBe(2);
  const other = new PendingRequests<string>();
  pending.moveTo(other);
  expect([pending.size, other.answer(3), other.answer(2), other.answer(2)]).toEqual([0, ['c'], ['b', 'd'], ['b', 'd']]);
  expect(other.size).toBe(0);
});

test.each([1, 2])('what still waits is handed out once, be it %d or more', (count) => {
  const pending = new PendingRequests<number>();
  for (let id = 1; id <= count; id++) pending.add(id, id);
  expect(pending.drain()).toEqual([1, 2].slice(0, count));
  expect([pending.drain(), pending.size, pending.answer(1)]).toEqual([[], 0, []]);
});
