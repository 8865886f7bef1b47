import { type ErrorRecord, toErrorRecord, toUcpError } from '../../core/errors.ts';
import type { EventSink } from '../../core/events.ts';
import type { Clock, Logger } from '../../core/ports.ts';
import { policyDigest } from '../../policy/index.ts';
import type { LoadedPolicy } from '../policy/loaded-policy.ts';
import { assertNotOlder, validatePackage, verifyPackage } from '../policy/read-signed.ts';
import type { Found, PolicyPackage, PolicySource } from '../source/source.ts';
import {
  appliedEvent,
  attemptEvent,
  downloadCompletedEvent,
  downloadStartedEvent,
  downloadSuccessEvent,
  type LifecycleFacts,
  rejectedEvent,
} from './lifecycle-events.ts';
import type { PersistedPolicy, PolicyStore } from './policy-store.ts';
import { START, transition, type LoaderState, type Trigger } from './states.ts';

/** Pauses before a policy whose signature doesn't fit is fetched again: it may have been seen between two PUTs. */
const TORN_RETRY = [2_000, 4_000, 8_000];
const TORN: readonly string[] = ['POLICY_SIGNATURE_INVALID', 'POLICY_SIGNATURE_MALFORMED'];

/** What the configuration says. */
export interface LoaderSettings {
  /** Undefined where the configuration names none: the built-in default it is. */
  readonly source: PolicySource | undefined;
  /** Its generation is given out when it is put in force. */
  readonly builtIn: LoadedPolicy;
  readonly pin: string | undefined;
  readonly maxBytes: number;
  /** Seconds between checks. */
  readonly interval: number;
}

export interface LoaderOptions extends LoaderSettings {
  readonly store: PolicyStore;
  readonly clock: Clock;
  readonly events: EventSink;
  readonly logger: Logger;
  /** Puts a policy in force everywhere or nowhere; rejects where it could not. */
  apply(policy: LoadedPolicy): Promise<void>;
}

/** What a check led to. */
export type LoadOutcome =
  | { readonly outcome: 'unchanged' }
  | { readonly outcome: 'activated' }
  | { readonly outcome: 'failed' | 'rejected'; readonly error: ErrorRecord };

/**
 * Loads policies in the specification's order: check, download, verify, validate, apply, report. One load at a time; a
 * bad candidate never touches the policy in force (invariant 3).
 */
export class PolicyLoader {
  #options: LoaderOptions;
  #state: LoaderState = START;
  #inForce: LoadedPolicy;
  #facts: LifecycleFacts;
  /** Of the policy in force; remembered only after its activation. */
  #etag: string | undefined;
  #rejectedEtag: string | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: LoaderOptions) {
    this.#options = options;
    this.#inForce = options.builtIn;
    this.#facts = { startupState: 'ColdStartup', delay: Math.round(options.interval) };
  }

  get state(): LoaderState {
    return this.#state;
  }

  get inForce(): LoadedPolicy {
    return this.#inForce;
  }

  get startupState(): LifecycleFacts['startupState'] {
    return this.#facts.startupState;
  }

  /** Puts the persisted policy in force, verified and validated again, or the built-in default. Never rejects. */
  async start(): Promise<void> {
    const persisted = this.#options.source === undefined ? undefined : this.#options.store.load();
    if (persisted === undefined || !(await this.#restore(persisted))) {
      this.#activate(this.#numbered(this.#options.builtIn), 'defaulted');
    }
  }

  #numbered(builtIn: LoadedPolicy): LoadedPolicy {
    const generation = this.#options.store.generationOf(builtIn.ref.digest);
    return { ...builtIn, ref: { ...builtIn.ref, generation } };
  }

  /**
   * Takes a changed configuration, after a check that is under way. The policy in force stays until the next check, which
   * judges everything anew, brings a valid one; a built-in one gives way at once, as does a signed one whose source is
   * gone. Rejects, and changes nothing, where that could not be applied.
   */
  configure(settings: LoaderSettings): Promise<void> {
    const configured = this.#queue.then(() => this.#configure(settings));
    this.#queue = configured.catch(() => undefined);
    return configured;
  }

  async #configure(settings: LoaderSettings): Promise<void> {
    const { source, builtIn, interval } = settings;
    const replaced =
      (source === undefined || this.#inForce.source === 'built-in') && builtIn.ref.digest !== this.#inForce.ref.digest;
    const policy = replaced ? this.#numbered(builtIn) : undefined;
    if (policy !== undefined) await this.#options.apply(policy);
    this.#options = { ...this.#options, ...settings };
    this.#facts = { ...this.#facts, delay: Math.round(interval) };
    this.#etag = undefined;
    this.#rejectedEtag = undefined;
    if (policy !== undefined) this.#activate(policy, 'withdrawn');
  }

  async #restore(persisted: PersistedPolicy): Promise<boolean> {
    try {
      const read = this.#read(persisted, persisted.generation);
      const generation = this.#options.store.restoredGeneration(persisted, read.ref.digest);
      const policy = { ...read, ref: { ...read.ref, generation } };
      await this.#options.apply(policy);
      this.#facts = { ...this.#facts, startupState: 'WarmStartup' };
      this.#etag = persisted.etag;
      this.#activate(policy, 'restored');
      return true;
    } catch (thrown) {
      const { message } = toUcpError(thrown);
      this.#options.logger.warn('the persisted policy is broken and not used', { cause: message });
      return false;
    }
  }

  /** Checks now, after a check that is under way. Never rejects. */
  check(): Promise<LoadOutcome> {
    const checked = this.#queue.then(() => this.#load());
    this.#queue = checked;
    return checked;
  }

  async #load(): Promise<LoadOutcome> {
    const { events, source } = this.#options;
    if (source === undefined) return { outcome: 'unchanged' };
    let found: Found;
    try {
      found = await source.check(this.#etag);
    } catch (thrown) {
      const error = toErrorRecord(toUcpError(thrown));
      events.emit(attemptEvent(this.#facts, error));
      return { outcome: 'failed', error };
    }
    events.emit(attemptEvent(this.#facts));
    if (!found.newer || found.etag === this.#rejectedEtag) {
      if (!found.newer) this.#step('nothing_newer');
      return { outcome: 'unchanged' };
    }
    this.#step('newer_found');
    events.emit(downloadStartedEvent(this.#facts));
    return this.#download(found);
  }

  async #download(found: Extract<Found, { newer: true }>): Promise<LoadOutcome> {
    const { events } = this.#options;
    let candidate: PolicyPackage;
    try {
      candidate = await found.fetch();
    } catch (thrown) {
      this.#step('download_failed');
      const error = toErrorRecord(toUcpError(thrown));
      events.emit(downloadCompletedEvent(this.#facts, error));
      return { outcome: 'failed', error };
    }
    this.#step('downloaded');
    events.emit(downloadCompletedEvent(this.#facts));
    return this.#verify(candidate, found.etag, TORN_RETRY);
  }

  async #verify(candidate: PolicyPackage, etag: string, pauses: readonly number[]): Promise<LoadOutcome> {
    try {
      verifyPackage(candidate, this.#options.pin);
    } catch (thrown) {
      const error = toUcpError(thrown);
      const [pause, ...rest] = pauses;
      const again = pause === undefined || !TORN.includes(error.code) ? undefined : await this.#fetchAgain(pause);
      if (again !== undefined) return this.#verify(again.candidate, again.etag, rest);
      return this.#reject(candidate, etag, 'signature_invalid', toErrorRecord(error));
    }
    this.#step('signature_valid');
    return this.#validate(candidate, etag);
  }

  /** The pair as it is after `pause` ms; undefined when it can't be had then. */
  async #fetchAgain(pause: number): Promise<{ candidate: PolicyPackage; etag: string } | undefined> {
    const { clock, source } = this.#options;
    await new Promise<void>((resolve) => void clock.after(pause, resolve));
    try {
      const found = await source?.check(undefined);
      if (found?.newer !== true) return undefined;
      const candidate = await found.fetch();
      this.#step('pair_torn');
      this.#step('downloaded');
      return { candidate, etag: found.etag };
    } catch {
      return undefined;
    }
  }

  async #validate(candidate: PolicyPackage, etag: string): Promise<LoadOutcome> {
    const { store } = this.#options;
    let policy: LoadedPolicy;
    try {
      const checked = this.#read(candidate, 0);
      assertNotOlder(checked.policy, checked.ref.digest, store.memory.highest);
      policy = { ...checked, ref: { ...checked.ref, generation: store.generationOf(checked.ref.digest) } };
    } catch (thrown) {
      return this.#reject(candidate, etag, 'invalid', toErrorRecord(toUcpError(thrown)));
    }
    this.#step('valid');
    try {
      await this.#options.apply(policy);
    } catch (thrown) {
      return this.#reject(candidate, etag, 'apply_failed', toErrorRecord(toUcpError(thrown)));
    }
    this.#etag = etag;
    this.#rejectedEtag = undefined;
    store.save({ ...candidate, generation: policy.ref.generation, etag });
    this.#options.events.emit(downloadSuccessEvent(this.#facts, policy.ref));
    this.#activate(policy, 'applied');
    return { outcome: 'activated' };
  }

  /** Verifies the signature and validates the same bytes. */
  #read(bytes: PolicyPackage, generation: number): LoadedPolicy {
    const { keyId } = verifyPackage(bytes, this.#options.pin);
    const { policy, digest } = validatePackage(bytes, this.#options.maxBytes);
    const ref = { policy_id: policy.policy_id, version: policy.version, digest, generation };
    return { policy, ref, source: 'service', size: bytes.policy.length, key: keyId };
  }

  #activate(policy: LoadedPolicy, trigger: 'restored' | 'defaulted' | 'withdrawn' | 'applied'): void {
    const { store, events, logger } = this.#options;
    this.#step(trigger);
    this.#inForce = policy;
    const { version, digest, generation } = policy.ref;
    if (policy.source !== 'built-in' && version >= (store.memory.highest?.version ?? 0)) {
      store.remember({ ...store.memory, highest: { version, digest } });
    }
    logger.info(`policy loaded, ${policy.size} bytes`, { ...policy.ref, source: policy.source });
    events.emit(appliedEvent(policy.ref, { source: policy.source, size: policy.size, key: policy.key ?? null }));
    if (generation > store.memory.generation) store.remember({ ...store.memory, generation, digest });
  }

  #reject(
    { policy }: PolicyPackage,
    etag: string,
    trigger: 'signature_invalid' | 'invalid' | 'apply_failed',
    error: ErrorRecord,
  ): LoadOutcome {
    this.#step(trigger);
    // What this host could not apply, for want of space for one, is tried again.
    this.#rejectedEtag = trigger === 'apply_failed' ? undefined : etag;
    this.#options.logger.warn('a policy was rejected', { ...error });
    this.#options.events.emit(rejectedEvent(this.#facts, error, policyDigest(policy), this.#inForce.ref));
    return { outcome: 'rejected', error };
  }

  #step(trigger: Trigger): void {
    this.#state = transition(this.#state, trigger);
  }
}
