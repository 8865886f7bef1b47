import { expect, test } from 'vitest';

import type { Sensor } from '../sensor.ts';
import { Tap } from './transport.ts';
import type { Transport, WireMessage } from './wire.ts';

const ping: WireMessage = { jsonrpc: '2.0', id: 1, method: 'ping' };

test('what a program wrapped around its transport sees as many arguments as without the sensor', async () => {
  const seen: unknown[][] = [];
  const note = (...args: unknown[]): Promise<void> => {
    seen.push(args);
    return Promise.resolve();
  };
  const transport: Transport = { send: note, start: () => Promise.resolve() };
  const sensor: Partial<Sensor> = { decider: () => undefined };
  const tap = new Tap(sensor as Sensor, undefined, transport, (...args) => void note(...args));
  expect(tap.uses([note])).toBe(false);
  await transport.send(ping);
  await transport.send(ping, undefined);
  transport.onmessage?.(ping);
  transport.onmessage?.(ping, { extra: true });
  expect(seen).toEqual([[ping], [ping, undefined], [ping], [ping, { extra: true }]]);
  expect(seen.map((args) => args.length)).toEqual([1, 2, 1, 2]);
});

test('a second connection of the same transport is handed each message once, the first one too', () => {
  const transport: Transport = { send: () => Promise.resolve(), start: () => Promise.resolve() };
  const sensor: Partial<Sensor> = { decider: () => undefined };
  const first: unknown[] = [];
  const tap = new Tap(sensor as Sensor, undefined, transport, (message) => void first.push(message));
  const before = transport.onmessage;
  const second: unknown[] = [];
  tap.attach((message) => {
    before?.(message); // as the SDK does
    second.push(message);
  });
  transport.onmessage?.(ping);
  tap.feed({ ...ping, id: 2 });
  before?.({ ...ping, id: 3 });
  expect(first).toEqual([ping, { ...ping, id: 2 }, { ...ping, id: 3 }]);
  expect(second).toEqual(first);
});

test("what the program's send has of its own is there after it was wrapped", () => {
  const send = Object.assign(() => Promise.resolve(), { calls: 7 });
  const transport: Transport = { send, start: () => Promise.resolve() };
  const sensor: Partial<Sensor> = { decider: () => undefined };
  const tap = new Tap(sensor as Sensor, undefined, transport, () => {});
  expect(tap.uses([send])).toBe(false);
  expect(Object.getOwnPropertyDescriptors(transport.send)).toMatchObject(Object.getOwnPropertyDescriptors(send));
});
