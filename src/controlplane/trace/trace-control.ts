import { toUcpError, UcpError } from '../../core/errors.ts';
import type { EventSink, NewEvent } from '../../core/events.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Clock, Logger } from '../../core/ports.ts';
import type { Engine } from '../../engine/engine.ts';
import { inherit, type Policy } from '../../policy/index.ts';
import type { ControlHelper } from '../exec/control-helper.ts';
import { kernelRules } from '../exec/rules.ts';
import { contextOf, type EventContext, unknownSandbox } from '../exec/event-context.ts';
import type { HelperLink } from '../helper/link.ts';
import type { LoadedPolicy } from '../policy/loaded-policy.ts';
import type { ControlledSandbox, SandboxControl } from '../sandboxes/control.ts';
import { Causes, lineageOf } from './causes.ts';
import { processEvent, processLossEvent, processUnobservedEvent } from './process-event.ts';
import { afterArrivals } from './turns.ts';

/** How long a start waits for the observer, ms: it is to be seen from its beginning, but never kept from it. */
const PATIENCE = 1_500;
/** How long a violation waits for where its process comes from, ms. */
const ASK = 1_000;
/** How long after a sandbox's end its causes are known: violations of its last second are told then, ms. */
const AFTERWARDS = 5_000;

export interface TraceControlOptions {
  readonly helper: ControlHelper;
  readonly engine: Pick<Engine, 'inspect'>;
  readonly events: EventSink;
  readonly logger: Logger;
  readonly clock: Clock;
}

interface Observed extends EventContext {
  readonly pid: number;
}

/** Whether the processes of sandboxes under `policy` are to be told of. */
function wantsEvents(policy: Pick<Policy, 'exec'>): boolean {
  const { exec } = policy;
  return inherit([exec]).enabled && (exec?.events ?? kernelRules(policy) !== undefined);
}

/**
 * Tells which programs sandboxes execute and how they end, and which MCP request is behind it; see
 * docs/process-events.md. It observes: whatever fails costs events, never a start.
 */
export class TraceControl implements SandboxControl {
  readonly name = 'process_events';
  readonly #options: TraceControlOptions;
  readonly #observed = new Map<string, Observed>();
  readonly #causes = new Map<string, Causes>();
  /** The last change of each sandbox: changes of one are made one after the other. */
  readonly #turns = new Map<string, Promise<void>>();
  /** Violations on their way. */
  readonly #telling = new Set<Promise<void>>();
  #greeting: JsonObject = {};

  constructor(options: TraceControlOptions) {
    this.#options = options;
    options.helper.onEvent((said) => this.#hear(said));
    options.helper.onRestart((link) => this.#restore(link));
  }

  /** Starts the observer where `policy` wants it; nobody waits for it here. */
  ready({ policy }: LoadedPolicy): void {
    if (!wantsEvents(policy)) return;
    this.#options.helper.link().catch((thrown: unknown) => {
      this.#options.logger.warn('processes are not observed', { cause: toUcpError(thrown).message });
    });
  }

  /** Never rejects. */
  async apply(sandbox: ControlledSandbox): Promise<void> {
    const { clock } = this.#options;
    const { sandboxId } = sandbox.record;
    const wanted = wantsEvents(sandbox.policy.policy);
    const done = this.#inTurn(sandboxId, () => (wanted ? this.#put(sandbox) : this.#drop(sandboxId))).catch(
      (thrown: unknown) => this.#unobserved(sandbox, toUcpError(thrown).message),
    );
    await Promise.race([done, new Promise<void>((resolve) => void clock.after(PATIENCE, resolve))]);
  }

  /** Rules are what is in force; this is not one. */
  inForce(): boolean {
    return false;
  }

  release(sandboxId: string): Promise<void> {
    return this.#inTurn(sandboxId, () => this.#drop(sandboxId));
  }

  async #drop(sandboxId: string): Promise<void> {
    const causes = this.#causes.get(sandboxId);
    this.#options.clock.after(AFTERWARDS, () => {
      if (this.#causes.get(sandboxId) === causes) this.#causes.delete(sandboxId);
    });
    if (!this.#observed.delete(sandboxId)) return;
    try {
      await (await this.#options.helper.existing())?.request('detach', { sandbox: sandboxId });
    } catch (thrown) {
      this.#options.logger.info('a sandbox was not detached', { cause: toUcpError(thrown).message });
    }
  }

  #inTurn(sandboxId: string, work: () => Promise<void>): Promise<void> {
    const turn = (this.#turns.get(sandboxId) ?? Promise.resolve()).catch(() => undefined).then(work);
    const forget = (): void => {
      if (this.#turns.get(sandboxId) === turn) this.#turns.delete(sandboxId);
    };
    this.#turns.set(sandboxId, turn);
    turn.then(forget, forget);
    return turn;
  }

  /** For `ucpd status`: who observes, and why not by BPF. */
  status(): JsonObject {
    const { observedBy = null, why = '' } = this.#greeting;
    return { observed_by: observedBy, why, sandboxes: this.#observed.size };
  }

  /** An outlet for what sensors say that hears which request is about to start a process. */
  hearing(events: EventSink): EventSink {
    return {
      emit: (event) => {
        if (event.name === 'process_spawn' && event.sandbox !== undefined)
          this.#announced(event.sandbox.sandbox_id, event);
        events.emit(event);
      },
    };
  }

  /** An outlet for violations that adds the request that caused them. */
  attributing(events: EventSink): EventSink {
    return {
      emit: (event) => {
        const id = event.sandbox?.sandbox_id ?? '';
        if (event.name !== 'exec_violation' || !this.#causes.has(id)) return events.emit(event);
        const told = new Promise<void>((resolve) => afterArrivals(resolve))
          .then(async () => events.emit(await this.#attributed(event, id)))
          .finally(() => this.#telling.delete(told));
        this.#telling.add(told);
      },
    };
  }

  /** Resolves when every violation that waits for its cause was told. Never rejects. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#telling);
  }

  #announced(sandboxId: string, event: NewEvent): void {
    if (this.#observed.has(sandboxId)) this.#causes.get(sandboxId)?.announce(event);
  }

  async #attributed(event: NewEvent, sandboxId: string): Promise<NewEvent> {
    const causes = this.#causes.get(sandboxId);
    const pid = event.attributes?.['process.pid'];
    if (causes?.any !== true || typeof pid !== 'number') return event;
    const cause = causes.ofViolation(pid, lineageOf((await this.#ask(sandboxId, pid))['lineage']));
    return cause === undefined ? event : { ...event, attributes: { ...event.attributes, ...cause } };
  }

  /** Empty where there is no answer soon. */
  async #ask(sandbox: string, pid: number): Promise<JsonObject> {
    const { helper } = this.#options;
    const answer = (async () => (await (await helper.existing())?.request('lineage', { sandbox, pid })) ?? {})();
    const late = new Promise<JsonObject>((resolve) => void this.#options.clock.after(ASK, () => resolve({})));
    return Promise.race([answer.catch(() => ({})), late]);
  }

  async #put(sandbox: ControlledSandbox): Promise<void> {
    const { record, containerId, tryExec } = sandbox;
    const { sandboxId } = record;
    const known = this.#observed.get(sandboxId);
    if (known !== undefined && tryExec === undefined) {
      this.#observed.set(sandboxId, { ...contextOf(sandbox), pid: known.pid });
      return;
    }
    // Of an earlier start, whose end nobody saw.
    await this.#drop(sandboxId);
    const link = await this.#options.helper.link();
    const pid = containerId === undefined ? 0 : ((await this.#options.engine.inspect(containerId))?.pid ?? 0);
    if (pid === 0) throw new UcpError('KERNEL_PROCESS_UNKNOWN', 'The engine knows no process of this sandbox.');
    this.#observed.set(sandboxId, { ...contextOf(sandbox), pid });
    this.#causes.set(sandboxId, new Causes());
    try {
      await this.#attach(link, sandboxId, pid, tryExec !== undefined);
    } catch (thrown) {
      this.#observed.delete(sandboxId);
      throw thrown;
    }
  }

  /** True when the helper did not know it. */
  async #attach(link: HelperLink, sandbox: string, pid: number, anew: boolean): Promise<boolean> {
    this.#greeting = link.greeting;
    try {
      await link.request('attach', { sandbox, pid });
      return true;
    } catch (thrown) {
      if (!(thrown instanceof UcpError) || thrown.code !== 'KERNEL_SANDBOX_EXISTS') throw thrown;
      if (!anew) return false;
      await link.request('detach', { sandbox });
      await link.request('attach', { sandbox, pid });
      return true;
    }
  }

  /** After the helper died: what happened meanwhile was told by nobody, and nobody knows how much it was. */
  async #restore(link: HelperLink): Promise<void> {
    for (const [sandboxId, observed] of this.#observed) {
      try {
        const lost = await this.#attach(link, sandboxId, observed.pid, false);
        if (lost) this.#options.events.emit(processLossEvent(null, 'restart', observed));
      } catch (thrown) {
        // It ended meanwhile; its end is on its way to us.
        if (!(thrown instanceof UcpError) || thrown.code !== 'KERNEL_PROCESS_UNKNOWN') throw thrown;
      }
    }
  }

  #unobserved(sandbox: ControlledSandbox, cause: string): void {
    this.#options.logger.warn('processes are not observed', { sandbox: sandbox.record.sandboxId, cause });
    this.#options.events.emit(processUnobservedEvent(cause, contextOf(sandbox)));
  }

  #hear(said: JsonObject): void {
    const { type, sandbox, count, reason } = said;
    const id = typeof sandbox === 'string' ? sandbox : '';
    const observed = this.#observed.get(id) ?? (id === '' ? undefined : unknownSandbox(id));
    const { events } = this.#options;
    if (type === 'events_lost') {
      events.emit(
        processLossEvent(typeof count === 'number' ? count : null, typeof reason === 'string' ? reason : '', observed),
      );
    }
    if ((type !== 'process_exec' && type !== 'process_exit') || observed === undefined) return;
    afterArrivals(() => {
      const causes = this.#causes.get(id);
      const cause = causes?.any === true ? causes.of(lineageOf(said['lineage'])) : undefined;
      if (type === 'process_exit' && typeof said['pidInside'] === 'number') causes?.ended(said['pidInside']);
      events.emit(processEvent(said, type, observed, cause));
    });
  }
}
