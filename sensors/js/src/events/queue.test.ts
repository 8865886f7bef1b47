import { expect, test } from 'vitest';

import { CHUNK, LineQueue } from './queue.ts';

/** What waits, oldest first, each chunk by itself. */
function taken(queue: LineQueue): readonly string[] {
  const chunks: string[] = [];
  while (!queue.empty) {
    chunks.push(queue.peek().toString());
    queue.drop();
  }
  return chunks;
}

test('keeps order, violations apart from the rest', () => {
  const queue = new LineQueue();
  for (const text of ['a\n', 'b\n']) queue.push(Buffer.from(text), false);
  expect(queue.long).toBe(false);
  for (const text of ['V\n', 'W\n']) queue.push(Buffer.from(text), true);
  queue.push(Buffer.from('é\n'), false);
  expect(queue.long).toBe(true);
  expect(queue.peek().toString()).toBe('a\nb\n');
  expect(taken(queue)).toEqual(['a\nb\n', 'V\nW\n', 'é\n']);
});

test('puts together what is short and keeps what is long whole', () => {
  const queue = new LineQueue();
  const [short, long] = [`${'s'.repeat(CHUNK / 2 - 1)}\n`, `${'l'.repeat(CHUNK * 3)}\n`];
  for (const text of [short, short, short, long, short]) queue.push(Buffer.from(text), false);
  expect(taken(queue)).toEqual([short + short, short, long, short]);
});

test('what has left is not changed by what comes', () => {
  const queue = new LineQueue();
  queue.push(Buffer.from('a\n'), false);
  queue.push(Buffer.from('V\n'), true);
  queue.push(Buffer.from('b\n'), false);
  expect(queue.peek().toString()).toBe('a\n');
  queue.drop();
  queue.push(Buffer.from('c\n'), false);
  queue.push(Buffer.from('W\n'), true);
  expect(taken(queue)).toEqual(['V\n', 'b\nc\n', 'W\n']);
});

test('loses the newest observability when full, and counts it', () => {
  const queue = new LineQueue(4);
  for (const text of ['a\n', 'b\n', 'c\n']) queue.push(Buffer.from(text), false);
  expect(queue.lost).toBe(1);
  expect(taken(queue)).toEqual(['a\nb\n']);
});

test('makes room for a violation by dropping observability only', () => {
  const queue = new LineQueue(6);
  queue.push(Buffer.from('a\n'), false);
  queue.push(Buffer.from('V\n'), true);
  queue.push(Buffer.from('b\n'), false);
  queue.push(Buffer.from('W\n'), true);
  expect(queue.lost).toBe(1);
  expect(taken(queue)).toEqual(['V\n', 'b\n', 'W\n']);
  for (const text of ['c\n', 'd\n', 'e\n', 'f\n']) queue.push(Buffer.from(text), false);
  expect(queue.lost).toBe(2);
});

test('counts a violation that finds only violations', () => {
  const queue = new LineQueue(2);
  queue.push(Buffer.from('V\n'), true);
  queue.push(Buffer.from('W\n'), true);
  expect(queue.lost).toBe(1);
  expect(taken(queue)).toEqual(['V\n']);
});
