import type { EventSink } from '../../core/events.ts';
import type { Clock } from '../../core/ports.ts';
import type { LoadedPolicy } from '../policy/loaded-policy.ts';
import { staleEvent } from './lifecycle-events.ts';
import type { LoadOutcome, PolicyLoader } from './loader.ts';

/** Part of the interval by which checks are spread, so that many hosts don't ask at once. */
const JITTER = 0.1;

/** What the configuration says. */
export interface PollerSettings {
  /** Seconds. */
  readonly interval: number;
  /** Seconds without a successful check after which the policy counts as stale. */
  readonly maxStaleness: number | undefined;
}

export interface PollerOptions extends PollerSettings {
  readonly loader: PolicyLoader;
  readonly clock: Clock;
  readonly events: EventSink;
  readonly random: () => number;
}

/** Checks regularly and on request, and reports a policy that is enforced beyond its time. */
export class Poller {
  #options: PollerOptions;
  #cancel: (() => void) | undefined;
  /** Of the last check that succeeded, by the clock that never jumps. */
  #checked: number;
  #last: { at: number; outcome: LoadOutcome } | undefined;
  #reported: string | undefined;

  constructor(options: PollerOptions) {
    this.#options = options;
    this.#checked = options.clock.monotonic();
  }

  /** The last check, for `status`. */
  get last(): { readonly at: number; readonly outcome: LoadOutcome } | undefined {
    return this.#last;
  }

  /** Checks now; the next regular check follows one interval later. */
  async check(): Promise<LoadOutcome> {
    const { loader, clock } = this.#options;
    this.stop();
    const outcome = await loader.check();
    this.#last = { at: clock.now(), outcome };
    if (outcome.outcome === 'unchanged' || outcome.outcome === 'activated') this.#checked = clock.monotonic();
    this.#reportStale();
    this.#schedule();
    return outcome;
  }

  /** Takes a changed configuration; holds from the next check on. */
  configure(settings: PollerSettings): void {
    this.#options = { ...this.#options, ...settings };
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #schedule(): void {
    const { clock, interval, random } = this.#options;
    const spread = 1 + JITTER * (2 * random() - 1);
    this.#cancel?.();
    this.#cancel = clock.after(interval * 1000 * spread, () => void this.check());
  }

  /** Once for each policy and reason: an event at every check would say nothing new. */
  #reportStale(): void {
    const { loader, clock, events, maxStaleness } = this.#options;
    const unchecked = clock.monotonic() - this.#checked;
    const stale = staleness(loader.inForce, { now: clock.now(), unchecked, maxStaleness });
    const what = stale === undefined ? undefined : `${stale.reason} ${loader.inForce.ref.generation}`;
    if (stale !== undefined && what !== this.#reported) {
      events.emit(staleEvent(loader.inForce.ref, stale.reason, stale.since));
    }
    this.#reported = what;
  }
}

/**
 * Why and since when a policy is stale; undefined when it isn't. Times in milliseconds since the epoch; `unchecked` is
 * the span since the last check that succeeded: the host's time may be set in between.
 */
export function staleness(
  { policy }: LoadedPolicy,
  { now, unchecked, maxStaleness }: { now: number; unchecked: number; maxStaleness: number | undefined },
): { readonly reason: 'expired' | 'unchecked'; readonly since: number } | undefined {
  const expiry = policy.expires_at === undefined ? undefined : Date.parse(policy.expires_at);
  if (expiry !== undefined && expiry <= now) return { reason: 'expired', since: expiry };
  if (maxStaleness !== undefined && unchecked > maxStaleness * 1000)
    return { reason: 'unchecked', since: now - unchecked };
  return undefined;
}
