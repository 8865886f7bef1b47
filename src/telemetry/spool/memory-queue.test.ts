import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import type { SpoolRecord } from './frame.ts';
import { MemoryQueue } from './memory-queue.ts';

/** The same queue, as simply as can be. */
class Model {
  readonly items: SpoolRecord[] = [];

  push(record: SpoolRecord): void {
    this.items.push(record);
  }

  shift(count: number): void {
    this.items.splice(0, count);
  }

  evict(kept: number, bytes: number): SpoolRecord[] {
    let [count, gained] = [0, 0];
    while (gained < bytes && kept + count < this.items.length) gained += this.items[kept + count++]?.bytes ?? 0;
    return this.items.splice(kept, count);
  }
}

/** So many are pushed, then shifted, then `evict` bytes of them behind the first `kept` go. */
type Step = { readonly [key in 'push' | 'shift' | 'kept' | 'evict']: number };

const steps = fc.array(
  fc.record({ push: fc.nat(900), shift: fc.nat(900), kept: fc.nat(600), evict: fc.oneof(fc.nat(9), fc.nat(5000)) }),
  { maxLength: 30 },
);

/** What went by eviction. */
function take({ push, shift, kept, evict }: Step, queue: Model | MemoryQueue, length: number): readonly SpoolRecord[] {
  for (let seq = 1; seq <= push; seq++) queue.push({ seq, line: `${length} ${seq}`, bytes: 1 + (seq % 7) });
  queue.shift(Math.min(shift, length + push));
  return queue.evict(kept, evict);
}

test('whatever is pushed, shifted and evicted, the rest stays in order, and its bytes are known', () => {
  const holds = fc.property(steps, (given) => {
    const [queue, model] = [new MemoryQueue(), new Model()];
    for (const step of given) {
      expect(take(step, queue, queue.length)).toEqual(take(step, model, model.items.length));
      expect(queue.length).toBe(model.items.length);
      expect(queue.bytes).toBe(model.items.reduce((sum, { bytes }) => sum + bytes, 0));
    }
    expect(queue.peek(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)).toEqual(model.items);
  });
  fc.assert(holds);
});
