import { setImmediate } from 'node:timers/promises';

import { UcpError } from '../../core/errors.ts';

/** Waits for a condition while the event loop turns; fails after five seconds, which no test comes near. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  const end = Date.now() + 5_000;
  while (!condition()) {
    if (Date.now() > end) throw new UcpError('INTERNAL', `never: ${what}`);
    await setImmediate();
  }
}
