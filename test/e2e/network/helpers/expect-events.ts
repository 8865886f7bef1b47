import { vi } from 'vitest';

import type { LoggedEvent, Scene } from './scene.ts';

/** Waits until what `check` expects of the events so far holds: they are told a moment after what they tell of. */
export async function expectEvents(
  scene: Scene,
  name: 'network_connect' | 'network_violation',
  check: (events: readonly LoggedEvent[]) => void,
): Promise<void> {
  await vi.waitFor(async () => check(await scene.events(name)), { timeout: 20_000, interval: 100 });
}
