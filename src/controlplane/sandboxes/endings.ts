import { toUcpError } from '../../core/errors.ts';
import { LABEL } from '../../core/labels.ts';
import type { SandboxContext } from './context.ts';
import type { Sandbox } from './sandbox.ts';
import { exitedEvent, leaseLostEvent } from './sandbox-events.ts';

/** How long a workload whose front end is gone may take to end by TERM, ms. */
const LEASE_GRACE = 700;
/** A container whose creation was under way when its front end died shows up within these delays, ms. */
const LATE_CREATION = [100, 300, 700, 1_500, 3_000];
/** Pauses between attempts to remove something that the engine does not remove, ms; the last one repeats. */
const RETRY = [200, 500, 1_000, 5_000, 30_000];

/** How sandboxes end: exit codes, lost leases, removal. */
export class Endings {
  readonly #context: SandboxContext;
  /** Removals and late checks under way; a control plane does not leave before they are done. */
  readonly #work = new Set<Promise<void>>();

  constructor(context: SandboxContext) {
    this.#context = context;
  }

  get busy(): boolean {
    return this.#work.size > 0;
  }

  /** Resolves when nothing is being removed. */
  async idle(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled(this.#work);
  }

  /** The main process ended with `exitCode`, as init or the engine says; the second report of the same end is dropped. */
  exited(sandbox: Sandbox, exitCode: number): void {
    if (sandbox.state !== 'running' && sandbox.state !== 'waiting') return;
    sandbox.state = 'exited';
    sandbox.exitCode = exitCode;
    this.#context.events.emit(exitedEvent(sandbox, exitCode));
    sandbox.holder?.notify({ event: 'exited', sandboxId: sandbox.id, exitCode });
    if (sandbox.attached && sandbox.holder?.open !== true) this.#track(this.remove(sandbox));
  }

  /** The engine says that the container is dead. */
  died(sandbox: Sandbox, exitCode: number): void {
    sandbox.died.set();
    sandbox.decided.set();
    this.exited(sandbox, exitCode);
    const { request } = sandbox.record;
    this.#track(this.#release(sandbox));
    if (!sandbox.attached && (request.remove || !sandbox.hasStarted)) this.#track(this.remove(sandbox));
  }

  /** The connection that held the sandbox is gone. */
  holderLost(sandbox: Sandbox): void {
    sandbox.holder = undefined;
    if (sandbox.removal !== undefined || (!sandbox.attached && sandbox.hasStarted)) return;
    if (sandbox.attached && sandbox.state !== 'exited') this.#context.events.emit(leaseLostEvent(sandbox));
    this.#track(this.end(sandbox));
  }

  /** Ends a sandbox that nobody wants any more: TERM, a short grace, removal by force. */
  async end(sandbox: Sandbox, grace: number = LEASE_GRACE): Promise<void> {
    sandbox.ending = true;
    const { engine, clock } = this.#context;
    if (sandbox.state === 'running' && sandbox.containerId !== undefined) {
      // A container that ended by itself meanwhile answers with an error; the removal below settles it.
      await engine.kill(sandbox.containerId, 'SIGTERM').catch(() => undefined);
      await sandbox.died.wait(clock, grace);
    }
    await this.remove(sandbox);
  }

  /** Removes container, sockets, directory and record; a second call waits for the first. Never rejects. */
  remove(sandbox: Sandbox): Promise<void> {
    if (sandbox.removal === undefined) {
      sandbox.removal = this.#remove(sandbox);
      this.#track(sandbox.removal);
    }
    return sandbox.removal;
  }

  async #remove(sandbox: Sandbox): Promise<void> {
    const { registry } = this.#context;
    const created = sandbox.containerId !== undefined;
    await this.#removeContainers(sandbox);
    sandbox.died.set();
    await this.#release(sandbox);
    for (const server of sandbox.servers) await server.close();
    this.#removeFiles(sandbox);
    registry.delete(sandbox);
    this.#context.vault.forget(sandbox.id);
    sandbox.gone.set();
    if (!created) this.#track(this.#removeLate(sandbox));
  }

  /** What a broken disk keeps is removed by the next control plane, which finds no container for it. */
  #removeFiles({ id }: Sandbox): void {
    try {
      this.#context.dirs.remove(id);
    } catch (thrown) {
      this.#context.logger.warn("a sandbox's files can not be removed", { sandbox: id, cause: String(thrown) });
    }
  }

  async #removeContainers(sandbox: Sandbox): Promise<void> {
    const { engine, clock, logger } = this.#context;
    for (let attempt = 0; ; attempt += 1) {
      try {
        const ids = sandbox.containerId === undefined ? await this.#containersOf(sandbox) : [sandbox.containerId];
        for (const id of ids) await engine.remove(id);
        return;
      } catch (thrown) {
        logger.warn('a container can not be removed yet', { sandbox: sandbox.id, cause: toUcpError(thrown).message });
        const pause = RETRY[Math.min(attempt, RETRY.length - 1)] ?? 0;
        await new Promise<void>((resolve) => void clock.after(pause, resolve));
      }
    }
  }

  async #containersOf(sandbox: Sandbox): Promise<readonly string[]> {
    const found = await this.#context.engine.list([`${LABEL.sandbox}=${sandbox.id}`]);
    return found.filter(({ labels }) => labels[LABEL.owner] === this.#context.owner).map(({ id }) => id);
  }

  /** A front end that died while the engine was creating: the container appears after we looked for it. */
  async #removeLate(sandbox: Sandbox): Promise<void> {
    const { clock } = this.#context;
    for (const delay of LATE_CREATION) {
      await new Promise<void>((resolve) => void clock.after(delay, resolve));
      await this.#removeContainers(sandbox);
    }
  }

  async #release(sandbox: Sandbox): Promise<void> {
    for (const control of this.#context.controls) {
      await control.release(sandbox.id).catch((thrown: unknown) => {
        this.#context.logger.warn('a control was not released', {
          control: control.name,
          cause: toUcpError(thrown).message,
        });
      });
    }
  }

  #track(work: Promise<void>): void {
    this.#work.add(work);
    void work.finally(() => this.#work.delete(work));
  }
}
