import { setTimeout as delay } from 'node:timers/promises';

import { type ErrorRecord, UcpError } from '../../core/errors.ts';
import type { Notification } from '../../core/protocol.ts';
import type { SensorLine, SensorPolicyFile } from '../../core/sensor-protocol.ts';
import type { ControlClient } from '../client/control-client.ts';
import { leaseHolder } from '../client/lease.ts';
import type { PreparedRun, RunDeps } from './prepare.ts';

/** What the control plane, or in its place the engine, tells about an attached run. */
export interface LinkEvents {
  /** What the gateway has to put in force from now on. */
  policy(file: SensorPolicyFile | null): void;
  started(): void;
  refused(error: ErrorRecord): void;
  exited(exitCode: number): void;
  connectionRefused(notice: Extract<Notification, { event: 'connection_refused' }>): void;
  /** The control plane is gone; it may come back. */
  lost(): void;
}

/** Pause between two attempts to find the control plane again, ms. */
const RETRY_MS = 200;

/**
 * The connection that holds the lease of an attached run. When the control plane dies in mid-run the sandbox goes on:
 * a new one is found or started, and takes the lease back; the exit code comes from the engine meanwhile.
 */
export class LeaseLink {
  readonly #deps: RunDeps;
  readonly #sandboxId: string;
  readonly #events: LinkEvents;
  #client: ControlClient | undefined;
  #containerId: string | undefined;
  #asked = false;
  #over = false;

  constructor(deps: RunDeps, run: PreparedRun, events: LinkEvents) {
    this.#deps = deps;
    this.#sandboxId = run.plan.sandboxId;
    this.#events = events;
    this.#hear(run.client);
    this.#hold(run.client);
  }

  /** The container exists. */
  created(containerId: string): void {
    this.#containerId = containerId;
  }

  /** Hands over events of the gateway. Rejects while there is no control plane. */
  async sensed(lines: readonly SensorLine[]): Promise<void> {
    if (this.#client === undefined)
      throw new UcpError('CONTROLPLANE_UNREACHABLE', 'The control plane is gone: see `ucpd logs`.');
    await this.#client.call('sensed', { sandboxId: this.#sandboxId, lines });
  }

  /** Asks the engine for the exit code, too: the output has ended without a word from the control plane. */
  askEngine(): void {
    if (this.#asked || this.#containerId === undefined) return;
    this.#asked = true;
    void this.#deps.engine.waitExit(this.#containerId, 'not-running').then(
      (exitCode) => this.#events.exited(exitCode),
      // Gone already: the control plane removed it, and has told the code or will.
      () => (this.#asked = false),
    );
  }

  /** Ends the link. With `stop`, and where no control plane is there to do it, the container goes away first. */
  async settle(stop: boolean): Promise<void> {
    this.#over = true;
    const client = this.#client;
    if (client === undefined) {
      if (this.#containerId !== undefined) await this.#deps.engine.remove(this.#containerId).catch(() => undefined);
      return;
    }
    if (stop) await client.call('stop', { sandbox: this.#sandboxId, grace: 0, remove: true }).catch(() => undefined);
    client.close();
  }

  #hear(client: ControlClient): void {
    client.listen((notification) => this.#take(notification));
  }

  #hold(client: ControlClient): void {
    this.#client = client;
    void client.closed.then(async () => this.#recover());
  }

  #take(notification: Notification): void {
    if (notification.sandboxId !== this.#sandboxId) return;
    if (notification.event === 'policy') this.#events.policy(notification.file);
    else if (notification.event === 'started') this.#events.started();
    else if (notification.event === 'refused') this.#events.refused(notification.error);
    else if (notification.event === 'connection_refused') this.#events.connectionRefused(notification);
    else this.#events.exited(notification.exitCode);
  }

  async #recover(): Promise<void> {
    this.#client = undefined;
    if (this.#over) return;
    this.#events.lost();
    this.askEngine();
    while (!this.#over && !(await this.#reattach())) await delay(RETRY_MS);
  }

  async #reattach(): Promise<boolean> {
    let client: ControlClient | undefined;
    try {
      client = await this.#deps.connect();
      // What was missed, the policy above all, is told before the answer.
      this.#hear(client);
      await client.call('reattach', { sandboxId: this.#sandboxId, lease: leaseHolder() });
      this.#hold(client);
      return true;
    } catch {
      client?.close();
      return false;
    }
  }
}
