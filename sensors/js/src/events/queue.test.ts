import { expect, test } from 'vitest';

import { LineQueue } from './queue.ts';

test('keeps order', () => {
  const queue = new LineQueue();
  queue.push('a\n', false);
  queue.push('b\n', true);
  expect(queue.size).toBe(4);
  expect(queue.peek(100)).toEqual({ text: 'a\nb\n', count: 2 });
  expect(queue.peek(1)).toEqual({ text: 'a\n', count: 1 });
  queue.drop(2);
  expect(queue.empty).toBe(true);
});

test('loses the newest observability when full, and counts it', () => {
  const queue = new LineQueue(4);
  for (const text of ['a\n', 'b\n', 'c\n']) queue.push(text, false);
  expect(queue.peek(100).text).toBe('a\nb\n');
  expect(queue.lost).toBe(1);
});

test('makes room for a violation by dropping observability only', () => {
  const queue = new LineQueue(6);
  queue.push('a\n', false);
  queue.push('V\n', true);
  queue.push('b\n', false);
  queue.push('W\n', true);
  expect(queue.peek(100).text).toBe('V\nb\nW\n');
  expect(queue.lost).toBe(1);
});

test('counts a violation that finds only violations', () => {
  const queue = new LineQueue(2);
  queue.push('V\n', true);
  queue.push('W\n', true);
  expect(queue.peek(100).text).toBe('V\n');
  expect(queue.lost).toBe(1);
});
