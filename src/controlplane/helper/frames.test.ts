import { expect, test } from 'vitest';

import type { JsonObject } from '../../core/json.ts';
import { frame, frameReader, MAX_FRAME } from './frames.ts';

/** What a reader makes of chunks. */
function read(...chunks: readonly Buffer[]): { messages: JsonObject[]; broken: string[] } {
  const messages: JsonObject[] = [];
  const broken: string[] = [];
  const take = frameReader(
    (message) => messages.push(message),
    (why) => broken.push(why),
  );
  for (const chunk of chunks) take(chunk);
  return { messages, broken };
}

test('messages arrive whole however they are cut', () => {
  const sent: readonly JsonObject[] = [{ a: 1 }, { b: 'ü'.repeat(1000) }, {}];
  const bytes = Buffer.concat(sent.map((message) => frame(message)));
  for (const size of [1, 3, 7, 1000, bytes.length]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    expect(read(...chunks)).toEqual({ messages: sent, broken: [] });
  }
});

test.each([
  ['no JSON', Buffer.from('\0\0\0\x01x')],
  ['no object', Buffer.from('\0\0\0\x02[]')],
  ['null', Buffer.from('\0\0\0\x04null')],
  ['too long', Buffer.from([0xff, 0xff, 0xff, 0xff])],
])('what is %s breaks the connection once, and nothing after it is read', (_, bytes) => {
  const { messages, broken } = read(frame({ a: 1 }), bytes, frame({ b: 2 }));
  expect(messages).toEqual([{ a: 1 }]);
  expect(broken).toHaveLength(1);
});

test('a request that no helper takes is not sent', () => {
  expect(() => frame({ a: 'x'.repeat(MAX_FRAME) })).toThrow(expect.objectContaining({ code: 'HELPER_REFUSED' }));
});
