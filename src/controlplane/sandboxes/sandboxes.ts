import { setImmediate } from 'node:timers/promises';
import { join } from 'node:path';

import type { ErrorRecord } from '../../core/errors.ts';
import { fromErrorRecord, toUcpError, UcpError } from '../../core/errors.ts';
import { LABEL } from '../../core/labels.ts';
import { INIT_SOCKET, SENSOR_SOCKET } from '../../core/plan.ts';
import type { LeaseHolder, Operations, SandboxStatus } from '../../core/protocol.ts';
import type { SensorLine } from '../../core/sensor-protocol.ts';
import type { EngineEvent } from '../../engine/engine.ts';
import type { LoadedPolicy } from '../policy/loaded-policy.ts';
import type { Peer } from '../server/connection.ts';
import type { SandboxContext } from './context.ts';
import { Endings } from './endings.ts';
import { listenInit } from './init-endpoint.ts';
import { Latch } from './latch.ts';
import type { SandboxRecord } from './record.ts';
import { Sandbox } from './sandbox.ts';
import { startRefusedEvent } from './sandbox-events.ts';
import { listenSensors } from './sensor-endpoint.ts';
import { forwardSensors, type Speaker } from './sensor-events.ts';
import { startSandbox } from './start.ts';
import { tellPolicy } from './tell-policy.ts';

/** How long a connection on init's socket is held until the engine says that the start before it is over, ms. */
const PREVIOUS_START = 10_000;
/** How long after init's connection broke the engine may take to report the end, ms. */
const END_REPORT = 3_000;
/** How long a container that was started may take until its workload is let go, ms. */
const VERDICT = 60_000;
/** Seconds between TERM and KILL where nobody says otherwise; docker's own default. */
const STOP_GRACE = 10;

/** The sandboxes of this control plane, from preparation to removal. */
export class Sandboxes {
  readonly endings: Endings;
  readonly #context: SandboxContext;
  #watch: { stop(): void } | undefined;
  #leaving = false;

  constructor(context: SandboxContext) {
    this.#context = context;
    this.endings = new Endings(context);
  }

  /** Follows the engine's events from now on. */
  watch(): void {
    this.#watch = this.#context.engine.watch(`${LABEL.owner}=${this.#context.owner}`, (event) => this.#onEngine(event));
  }

  /** Makes directory and sockets of a new sandbox, which listen when it resolves; the sensors' policy follows. */
  async open(record: SandboxRecord, policy: LoadedPolicy, holder: Peer, marker: string | undefined): Promise<Sandbox> {
    const { dirs, registry } = this.#context;
    const sandbox = new Sandbox(record);
    sandbox.policy = policy;
    sandbox.holder = holder;
    sandbox.marker = marker;
    registry.add(sandbox);
    try {
      dirs.create(sandbox.id);
      dirs.writeRecord(record);
      await this.listen(sandbox);
      sandbox.policyWritten = this.#writeLater(sandbox, policy);
      // Whoever starts the sandbox hears of a failure.
      sandbox.policyWritten.catch(() => undefined);
    } catch (thrown) {
      await this.endings.remove(sandbox);
      throw new UcpError('STATE_UNUSABLE', `The sandbox's directory can't be made: ${String(thrown)}.`, {
        cause: thrown,
      });
    }
    holder.onClose(() => this.#holderClosed(sandbox, holder));
    return sandbox;
  }

  /** Binds the sockets of a sandbox in its existing directory, which may be mounted. */
  async listen(sandbox: Sandbox): Promise<void> {
    const dir = this.#context.dirs.path(sandbox.id);
    const { clock } = this.#context;
    const init = await listenInit(join(dir, INIT_SOCKET), clock, {
      previousEnded: () => this.#previousEnded(sandbox),
      ready: (session) => void startSandbox(sandbox, session, this.#context),
      exited: (code) => this.endings.exited(sandbox, code),
      lost: () => void this.#lost(sandbox),
    });
    const sensors = await listenSensors(
      join(dir, SENSOR_SOCKET),
      forwardSensors(speakerOf(sandbox), this.#context.events),
    );
    sandbox.servers = [init, sensors];
  }

  /** The front end made the container; it has not started. */
  created(sandboxId: string, container: Omit<Operations['created']['params'], 'sandboxId'>): void {
    const sandbox = this.#context.registry.require(sandboxId);
    sandbox.containerId = container.containerId;
    sandbox.imageDigest = container.imageDigest;
    sandbox.terminal = container.terminal;
    if (sandbox.state === 'preparing') sandbox.state = 'created';
  }

  /** The front end could not create or start it. */
  async abandoned(sandboxId: string, error: ErrorRecord): Promise<void> {
    const sandbox = this.#context.registry.byId(sandboxId);
    if (sandbox === undefined) return;
    // `exited` without a start: refused by us, and reported then.
    if (!sandbox.hasStarted && sandbox.state !== 'exited') this.#context.events.emit(startRefusedEvent(sandbox, error));
    await this.endings.end(sandbox);
  }

  /** Takes the lease up again; says at once what the holder missed. Throws SANDBOX_UNKNOWN, LEASE_LOST. */
  reattach(sandboxId: string, lease: LeaseHolder, peer: Peer): void {
    const sandbox = this.#context.registry.require(sandboxId);
    const own = sandbox.record.lease;
    if (own.pid !== lease.pid || own.startTime !== lease.startTime || own.bootId !== lease.bootId || sandbox.ending) {
      throw new UcpError('LEASE_LOST', `The sandbox ${sandbox.record.name} no longer belongs to process ${lease.pid}.`);
    }
    sandbox.holder = peer;
    peer.onClose(() => this.#holderClosed(sandbox, peer));
    const { exitCode } = sandbox;
    tellPolicy(sandbox, this.#context);
    if (sandbox.state === 'exited' && exitCode !== undefined) peer.notify({ event: 'exited', sandboxId, exitCode });
  }

  /** Events of the gateway in the front end. Throws SANDBOX_UNKNOWN, LEASE_LOST. */
  sensed(sandboxId: string, lines: readonly SensorLine[], peer: Peer): void {
    const sandbox = this.#context.registry.require(sandboxId);
    if (sandbox.holder !== peer) {
      throw new UcpError('LEASE_LOST', `Only the front end of ${sandbox.record.name} may tell of it.`);
    }
    const listener = forwardSensors(speakerOf(sandbox), this.#context.events);
    for (const line of lines) listener.line(line);
  }

  /** Ends a sandbox on request; answers when it has ended, and is gone where that is asked for. */
  async stop(word: string, options: { grace?: number; remove?: boolean }): Promise<{ exitCode?: number }> {
    const sandbox = this.#context.registry.find(word);
    const { engine, clock } = this.#context;
    const id = sandbox.containerId;
    if (id !== undefined && sandbox.removal === undefined) {
      await engine.stop(id, options.grace ?? sandbox.record.request.stopTimeout ?? STOP_GRACE);
      if (sandbox.alive) await sandbox.died.wait(clock, END_REPORT);
    }
    if (options.remove === true || sandbox.attached || id === undefined) await this.endings.remove(sandbox);
    return sandbox.exitCode === undefined ? {} : { exitCode: sandbox.exitCode };
  }

  /**
   * Starts a detached sandbox again and answers when its workload was let go; see the operation `start`. Throws what
   * policy has against it before anything of it is touched, SANDBOX_UNKNOWN, SANDBOX_EPHEMERAL, NETWORK_NOT_FOUND,
   * what the engine says, or why the start was refused.
   */
  async start(word: string, options: { restart: boolean; grace?: number }): Promise<void> {
    const { engine, clock } = this.#context;
    const sandbox = this.#context.registry.find(word);
    const { record, containerId } = sandbox;
    if (record.request.remove || sandbox.attached || containerId === undefined) {
      throw new UcpError(
        'SANDBOX_EPHEMERAL',
        `The sandbox ${record.name} is removed at its end: it can't be started again.`,
      );
    }
    if (!options.restart && sandbox.alive) return;
    this.#context.permit(record, await this.#context.policyFor(record));
    const rejoin = await engine.rejoinNetworks(containerId, record.request.network);
    if (sandbox.alive) await this.stop(word, options.grace === undefined ? {} : { grace: options.grace });
    sandbox.decided = new Latch();
    sandbox.refusal = undefined;
    try {
      await rejoin();
      await engine.start(containerId);
    } catch (thrown) {
      sandbox.decided.set();
      throw thrown;
    }
    const decided = await sandbox.decided.wait(clock, VERDICT);
    if (sandbox.refusal !== undefined) throw fromErrorRecord(sandbox.refusal);
    if (!decided) throw new UcpError('CONTROL_FAILED', `The sandbox ${record.name} does not ask to be let go.`);
  }

  list(all: boolean): readonly SandboxStatus[] {
    return this.#context.registry
      .all()
      .filter((sandbox) => all || (sandbox.state !== 'exited' && sandbox.removal === undefined))
      .map(({ status }) => status);
  }

  /** Something runs, is being made, or is being taken away. */
  get busy(): boolean {
    const live = this.#context.registry.all().some(({ state, alive }) => alive || state !== 'exited');
    return live || this.endings.busy;
  }

  /** From now on a holder whose connection ends is not lost: it is we who go. */
  leave(): void {
    this.#leaving = true;
  }

  /** Stops listening; containers and their directories stay as they are for the next control plane. */
  async close(): Promise<void> {
    this.#watch?.stop();
    await Promise.all(this.#context.registry.all().flatMap(({ servers }) => servers.map((server) => server.close())));
  }

  /**
   * Compiling a policy that is new here takes longer than all the rest: it is done while the engine creates the
   * container. The start waits for it, and fails with it.
   */
  async #writeLater(sandbox: Sandbox, policy: LoadedPolicy): Promise<void> {
    await setImmediate();
    if (sandbox.removal === undefined) this.#context.writeSensorPolicy(sandbox.id, policy);
  }

  #holderClosed(sandbox: Sandbox, holder: Peer): void {
    // A later connection may have taken the lease up.
    if (sandbox.holder === holder && !this.#leaving) this.endings.holderLost(sandbox);
  }

  #onEngine(event: EngineEvent): void {
    if (event.action === 'connect' || event.action === 'disconnect') return this.#onNetworks(event);
    const sandbox = this.#context.registry.byId(event.labels[LABEL.sandbox] ?? '');
    if (sandbox === undefined) return;
    if (event.action === 'die') this.endings.died(sandbox, event.exitCode ?? 255);
    if (event.action === 'destroy') void this.endings.remove(sandbox);
  }

  #onNetworks({ containerId }: EngineEvent): void {
    const { registry, controls, logger } = this.#context;
    const sandbox = registry.all().find((one) => one.containerId === containerId);
    if (sandbox?.alive !== true) return;
    for (const control of controls) {
      control.networksChanged?.(sandbox.id, containerId).catch((thrown: unknown) => {
        const cause = toUcpError(thrown).message;
        logger.error('a sandbox is in other networks, under the rules of before', { sandbox: sandbox.id, cause });
      });
    }
  }

  async #previousEnded(sandbox: Sandbox): Promise<boolean> {
    if (sandbox.died.isSet) return true;
    const ended = await sandbox.died.wait(this.#context.clock, PREVIOUS_START);
    // A process of the dead container had its connection closed by the kernel before: let that be seen first.
    await setImmediate();
    await setImmediate();
    return ended;
  }

  /** Init's connection broke without an exit code: the engine knows, now or in a moment. */
  async #lost(sandbox: Sandbox): Promise<void> {
    const { engine, clock, logger } = this.#context;
    if ((await sandbox.died.wait(clock, END_REPORT)) || sandbox.containerId === undefined) return;
    try {
      const facts = await engine.inspect(sandbox.containerId);
      if (facts === undefined || facts.state === 'exited' || facts.state === 'dead') {
        this.endings.died(sandbox, facts?.exitCode ?? 137);
      }
    } catch (cause) {
      logger.warn('the engine does not say what became of a sandbox', { sandbox: sandbox.id, cause: String(cause) });
    }
  }
}

/** What a sandbox's sensors say is the sandbox's. */
function speakerOf(sandbox: Sandbox): Speaker {
  return {
    get sandbox() {
      return sandbox.ref;
    },
    policy: () => sandbox.policy,
  };
}
