import * as fc from 'fast-check';
import { expect } from 'vitest';

import type { KernelConnection, Message } from '../kernel/connection.ts';

/** Fixed, so that every run of the tests is the same; the full run has others. */
const SEED = 20_261_121;
const FULL = process.env['UCP_FULL'] === '1';
const RUNS = FULL ? 20_000 : 500;
const MESSAGES = 8;
/** For the test that fuzzes, ms. */
export const FUZZ_TIMEOUT = FULL ? 1_800_000 : 300_000;

const EXTREMES = [0, -1, 1, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 53), 1e308, 0.5, '', 'a'.repeat(300), '\0', null, [], {}];

type Change =
  | { readonly kind: 'set'; readonly key: number; readonly value: unknown }
  | { readonly kind: 'drop'; readonly key: number }
  | { readonly kind: 'add'; readonly key: string; readonly value: unknown }
  | { readonly kind: 'byte'; readonly at: number; readonly byte: number }
  | { readonly kind: 'cut'; readonly at: number };

const values = fc.oneof(fc.constantFrom(...EXTREMES), fc.jsonValue({ maxDepth: 3 }));
const changes: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('set' as const), key: fc.nat(40), value: values }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const), key: fc.nat(40) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('add' as const), key: fc.string(), value: values }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('byte' as const), at: fc.nat(500), byte: fc.nat(255) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cut' as const), at: fc.nat(500) }) },
);

/** Every object within, so that items of lists are changed, too. */
function objectsOf(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return [];
  const within = Object.values(value).flatMap(objectsOf);
  return Array.isArray(value) ? within : [value as Record<string, unknown>, ...within];
}

function changed(example: Message, list: readonly Change[], tame: (request: Message) => Message): Buffer {
  const request = structuredClone(example) as Record<string, unknown>;
  for (const change of list) {
    const places = objectsOf(request).flatMap((holder) => Object.keys(holder).map((key) => ({ holder, key })));
    const place = 'key' in change && typeof change.key === 'number' ? places[change.key % places.length] : undefined;
    if (change.kind === 'set' && place !== undefined) place.holder[place.key] = change.value;
    if (change.kind === 'drop' && place !== undefined) delete place.holder[place.key];
    if (change.kind === 'add') request[change.key] = change.value;
  }
  let bytes = Buffer.from(JSON.stringify(tame(request)));
  for (const change of list) {
    if (change.kind === 'byte') bytes[change.at % bytes.length] = change.byte;
    if (change.kind === 'cut') bytes = bytes.subarray(0, (change.at % bytes.length) + 1);
  }
  return tamed(bytes, tame);
}

/** What is a request still after its bytes were changed must not do harm either. */
function tamed(bytes: Buffer, tame: (request: Message) => Message): Buffer {
  try {
    const request: unknown = JSON.parse(bytes.toString());
    const isObject = typeof request === 'object' && request !== null && !Array.isArray(request);
    return isObject ? Buffer.from(JSON.stringify(tame(request as Message))) : bytes;
  } catch {
    return bytes;
  }
}

/**
 * Sends changed requests to a helper, which has to answer or to end the connection, and to serve the next one. `tame`
 * takes out of a request what would reach beyond the test.
 */
export async function fuzz(
  connect: () => Promise<KernelConnection>,
  hello: Message,
  examples: readonly Message[],
  tame: (request: Message) => Message,
): Promise<void> {
  const message = fc
    .tuple(fc.constantFrom(...examples), fc.array(changes, { maxLength: 3 }))
    .map(([example, list]) => changed(example, list, tame));
  const property = fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: MESSAGES }), async (messages) => {
    const connection = await connect();
    await connection.accepted(hello);
    for (const bytes of messages) connection.send(bytes);
    const last = await Promise.race([connection.ask(hello), connection.closed]);
    if (last !== undefined) expect(last).toMatchObject({ ok: true });
    connection.close();
    await connection.closed;
  });
  await fc.assert(property, { numRuns: RUNS, ...(FULL ? {} : { seed: SEED }), endOnFailure: true });
}
