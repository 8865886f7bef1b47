import { toUcpError, UcpError } from '../../core/errors.ts';
import type { EventSink } from '../../core/events.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Logger } from '../../core/ports.ts';
import type { Engine } from '../../engine/engine.ts';
import type { HelperLink } from '../helper/link.ts';
import type { LoadedPolicy } from '../policy/loaded-policy.ts';
import type { ControlledSandbox, SandboxControl } from '../sandboxes/control.ts';
import type { ControlHelper } from './control-helper.ts';
import { contextOf, type EventContext, unknownSandbox } from './event-context.ts';
import type { Handles, Holding } from './holding.ts';
import { attachAtStart, attachRunning, detach, type Target } from './attachment.ts';
import type { TryExec } from './canary.ts';
import { kernelRules, type KernelRules, PROBE } from './rules.ts';
import { execLossEvent, unobservedEvent, violationEvent } from './violation-event.ts';

export interface ExecControlOptions {
  readonly helper: ControlHelper;
  readonly holding: Holding;
  readonly engine: Pick<Engine, 'inspect'>;
  readonly events: EventSink;
  readonly logger: Logger;
}

interface Attached extends EventContext {
  readonly target: Target;
  readonly rules: KernelRules;
  readonly generation: number;
  /** The control is being proven: what the probe does is no violation of anybody's. */
  readonly proving: boolean;
}

/** Exec rules, decided by the kernel with the helper's answers; see docs/exec.md. */
export class ExecControl implements SandboxControl {
  readonly name = 'exec';
  readonly #options: ExecControlOptions;
  readonly #attached = new Map<string, Attached>();
  /** The last change of each sandbox: changes of one are made one after the other. */
  readonly #turns = new Map<string, Promise<void>>();
  #absence: string | undefined;

  constructor(options: ExecControlOptions) {
    this.#options = options;
    options.helper.onEvent((said) => this.#hear(said));
    options.helper.onRestart((link) => this.#restore(link));
  }

  /** Why exec rules can't be put in force here, as far as is known. */
  get absence(): string | undefined {
    return this.#absence;
  }

  /** Starts the helper where `policy` needs it, so that a run is refused, by name, before anything is made. */
  async ready({ policy }: LoadedPolicy): Promise<void> {
    const rules = kernelRules(policy);
    if (rules === undefined) return;
    try {
      await Promise.all([
        this.#options.helper.link(),
        rules.mode === 'enforce' ? this.#options.holding.ready() : undefined,
      ]);
      this.#absence = undefined;
    } catch (thrown) {
      this.#absence = toUcpError(thrown).message;
    }
  }

  async apply(sandbox: ControlledSandbox): Promise<void> {
    const { sandboxId } = sandbox.record;
    const rules = kernelRules(sandbox.policy.policy);
    return this.#inTurn(sandboxId, async () => {
      if (rules === undefined) return this.#detach(sandboxId);
      try {
        await this.#put(sandbox, rules);
      } catch (thrown) {
        if (rules.mode === 'enforce') throw thrown;
        const cause = toUcpError(thrown).message;
        this.#options.logger.warn('exec rules are not observed', { sandbox: sandboxId, cause });
        this.#options.events.emit(unobservedEvent(cause, contextOf(sandbox)));
      }
    });
  }

  inForce(sandboxId: string): boolean {
    return this.#attached.has(sandboxId);
  }

  async release(sandboxId: string): Promise<void> {
    return this.#inTurn(sandboxId, async () => {
      if (this.#attached.has(sandboxId)) await this.#detach(sandboxId);
    });
  }

  async #put(sandbox: ControlledSandbox, rules: KernelRules): Promise<void> {
    const { record, containerId, policy, tryExec } = sandbox;
    const { sandboxId } = record;
    const { generation } = policy.ref;
    const known = this.#attached.get(sandboxId);
    const target =
      known !== undefined && tryExec === undefined ? known.target : await this.#target(sandboxId, containerId);
    const link = await this.#options.helper.link();
    // Events of the new rules arrive before the answer does.
    const attached = { ...contextOf(sandbox), target, rules, generation, proving: tryExec !== undefined };
    this.#attached.set(sandboxId, attached);
    try {
      if (tryExec === undefined) await this.#putRunning(link, attached);
      else await this.#putAtStart(link, attached, tryExec);
      this.#attached.set(sandboxId, { ...attached, proving: false });
    } catch (thrown) {
      if (known === undefined || tryExec !== undefined) this.#attached.delete(sandboxId);
      else this.#attached.set(sandboxId, known);
      throw thrown;
    }
  }

  async #putAtStart(link: HelperLink, attached: Attached, tryExec: TryExec): Promise<void> {
    const { target, rules, generation } = attached;
    const { holding } = this.#options;
    await holding.release(target.sandbox);
    const handles = await attachAtStart(link, target, rules, generation, tryExec);
    try {
      await this.#hold(attached, handles);
    } catch (thrown) {
      await detach(link, target.sandbox).catch(() => undefined);
      throw thrown;
    }
  }

  async #putRunning(link: HelperLink, attached: Attached): Promise<void> {
    const { target, rules, generation } = attached;
    const held = (): Promise<Handles | undefined> => this.#options.holding.of(target.sandbox);
    await this.#hold(attached, await attachRunning(link, target, rules, generation, held));
  }

  /** What is enforced waits when the helper dies; what is only observed must not. */
  async #hold({ target: { sandbox }, rules: { mode } }: Attached, handles: Handles): Promise<void> {
    if (mode === 'enforce') await this.#options.holding.hold(sandbox, handles);
    else await this.#options.holding.release(sandbox);
  }

  async #target(sandbox: string, containerId: string | undefined): Promise<Target> {
    const facts = containerId === undefined ? undefined : await this.#options.engine.inspect(containerId);
    if (facts === undefined || facts.pid === 0) {
      throw new UcpError('KERNEL_PROCESS_UNKNOWN', 'The engine knows no process of this sandbox.');
    }
    return { sandbox, pid: facts.pid };
  }

  async #detach(sandboxId: string): Promise<void> {
    await this.#options.holding.release(sandboxId);
    const link = await this.#options.helper.existing();
    if (link !== undefined) await detach(link, sandboxId);
    this.#attached.delete(sandboxId);
  }

  /** After the helper died: what it knew may be gone with it, and where it isn't, this changes nothing. */
  async #restore(link: HelperLink): Promise<void> {
    for (const sandboxId of this.#attached.keys()) {
      await this.#inTurn(sandboxId, async () => {
        const attached = this.#attached.get(sandboxId);
        if (attached === undefined) return;
        try {
          await this.#putRunning(link, attached);
        } catch (thrown) {
          // It ended meanwhile; its end is on its way to us.
          if (!(thrown instanceof UcpError) || thrown.code !== 'KERNEL_PROCESS_UNKNOWN') throw thrown;
        }
      });
    }
  }

  #hear(said: JsonObject): void {
    const { type, path, sandbox: id } = said;
    const sandbox = typeof id === 'string' ? id : '';
    const attached = this.#attached.get(sandbox);
    const context = attached ?? unknownSandbox(sandbox);
    if (type === 'violations_lost') this.#options.events.emit(execLossEvent(said, context));
    if (type !== 'exec_violation' || (attached?.proving === true && path === PROBE)) return;
    this.#options.events.emit(violationEvent(said, context));
  }

  #inTurn(sandboxId: string, work: () => Promise<void>): Promise<void> {
    const turn = (this.#turns.get(sandboxId) ?? Promise.resolve()).catch(() => undefined).then(work);
    this.#turns.set(sandboxId, turn);
    const forget = (): void => {
      if (this.#turns.get(sandboxId) === turn) this.#turns.delete(sandboxId);
    };
    turn.then(forget, forget);
    return turn;
  }
}
