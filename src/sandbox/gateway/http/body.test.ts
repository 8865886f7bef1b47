import { PassThrough, Readable } from 'node:stream';

import { expect, test } from 'vitest';

import { Budget, readBody } from './body.ts';

const MIB = Buffer.alloc(1024 * 1024);
const bodyOf = (mebibytes: number): Readable => Readable.from(Array.from({ length: mebibytes }, () => MIB));

test('messages that are held take room, together as much as there is, and give it back', async () => {
  const budget = new Budget();
  {
    using first = await readBody(bodyOf(60), budget);
    using second = await readBody(bodyOf(60), budget);
    expect([first.whole, second.whole]).toEqual([true, true]);
    using third = await readBody(bodyOf(60), budget);
    expect([third.whole, third.bytes.length < 10 * MIB.length]).toEqual([false, true]);
  }
  using again = await readBody(bodyOf(60), budget);
  expect([again.whole, again.bytes.length]).toEqual([true, 60 * MIB.length]);
});

test('a body longer than a message may be is not whole; its rest stays in the stream', async () => {
  const stream = bodyOf(70);
  using body = await readBody(stream, new Budget());
  expect([body.whole, stream.destroyed]).toEqual([false, false]);
  expect((await stream.toArray()).length * MIB.length + body.bytes.length).toBe(70 * MIB.length);
});

test('a body that breaks off is told of', async () => {
  const stream = new PassThrough();
  const body = readBody(stream, new Budget());
  stream.write(MIB);
  stream.destroy();
  await expect(body).rejects.toMatchObject({ code: 'GATEWAY_BROKEN_OFF' });
});
