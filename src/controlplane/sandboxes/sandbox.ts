import type { ErrorRecord } from '../../core/errors.ts';
import type { SandboxRef } from '../../core/events.ts';
import type { SandboxStatus } from '../../core/protocol.ts';
import type { LoadedPolicy } from '../policy/loaded-policy.ts';
import type { Peer } from '../server/connection.ts';
import type { UnixServer } from '../server/unix-server.ts';
import { Latch } from './latch.ts';
import type { SandboxRecord } from './record.ts';

/** One sandbox while the control plane knows it. */
export class Sandbox {
  readonly record: SandboxRecord;
  /** In force for the current start; undefined after a restart of ours until the next start. */
  policy: LoadedPolicy | undefined;
  state: SandboxStatus['state'] = 'preparing';
  containerId: string | undefined;
  imageDigest: string | undefined;
  exitCode: number | undefined;
  /** Size of the user's terminal when the container was made. */
  terminal: { columns: number; rows: number } | undefined;
  /** The connection that prepared it or took the lease up again. */
  holder: Peer | undefined;
  /** What init writes at the end of the output; only for the first start of an attached sandbox. */
  marker: string | undefined;
  /** Its workload was let go at least once. */
  hasStarted = false;
  /** Somebody asked for its end: lost lease, stop, removal. */
  ending = false;
  /** The container of the last start is dead. Set for a sandbox that never started. */
  died = new Latch();
  /** The start under way was decided: let go, refused, or over. Set while none is. */
  decided = new Latch();
  /** Why the last start was refused. */
  refusal: ErrorRecord | undefined;
  /** Nothing is left of it. */
  readonly gone = new Latch();
  /** The policy file of its first start; rejects when it can't be made. */
  policyWritten: Promise<void> = Promise.resolve();
  removal: Promise<void> | undefined;
  servers: readonly UnixServer[] = [];

  constructor(record: SandboxRecord) {
    this.record = record;
    this.died.set();
    this.decided.set();
  }

  get id(): string {
    return this.record.sandboxId;
  }

  get attached(): boolean {
    return this.record.request.mode === 'attached';
  }

  /** True when its name will be free without anybody's doing. */
  get leaving(): boolean {
    return this.removal !== undefined || this.ending || (this.attached && this.state === 'exited');
  }

  /** True while a process of it may run. */
  get alive(): boolean {
    return this.state === 'waiting' || this.state === 'running' || !this.died.isSet;
  }

  get ref(): SandboxRef {
    const { name } = this.record;
    return {
      sandbox_id: this.id,
      name,
      ...(this.containerId === undefined ? {} : { container_id: this.containerId }),
    };
  }

  get status(): SandboxStatus {
    const { record } = this;
    return {
      sandboxId: this.id,
      name: record.name,
      ...(this.containerId === undefined ? {} : { containerId: this.containerId }),
      image: record.request.image,
      mode: record.request.mode,
      state: this.state,
      ...(this.exitCode === undefined ? {} : { exitCode: this.exitCode }),
      createdAt: record.createdAt,
      policyDigest: this.policy?.ref.digest ?? record.policyDigest,
      degraded: record.degraded.filter(({ consent }) => consent === 'allowed').map(({ control }) => control),
      restartable: !this.attached && !record.request.remove,
      ...(record.request.secrets === undefined ? {} : { secrets: record.request.secrets }),
    };
  }
}
