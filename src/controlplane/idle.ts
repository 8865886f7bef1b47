import type { Clock } from '../core/ports.ts';

/** How often an on-demand control plane looks whether it is needed, as a part of the idle time. */
const LOOKS = 10;

/** Calls `leave` once nothing was `busy` for `ms`; looks a few times in that period. */
export function leaveWhenIdle(options: {
  readonly clock: Clock;
  readonly ms: number;
  readonly busy: () => boolean;
  readonly leave: () => void;
}): void {
  const { clock, ms, busy, leave } = options;
  let since = clock.monotonic();
  const look = (): void => {
    const now = clock.monotonic();
    if (busy()) since = now;
    if (now - since >= ms) leave();
    else clock.after(Math.max(ms / LOOKS, 10), look);
  };
  look();
}
