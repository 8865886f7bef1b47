import { chmodSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { toUcpError, UcpError } from '../../core/errors.ts';
import type { EventSink } from '../../core/events.ts';
import { SENSOR_POLICY, SENSOR_SOCKET } from '../../core/plan.ts';
import type { Logger } from '../../core/ports.ts';
import type { SensorPolicyFile } from '../../core/sensor-protocol.ts';
import type { LoadedPolicy } from '../policy/loaded-policy.ts';
import { listenSensors, type SensorServer } from '../sandboxes/sensor-endpoint.ts';
import { forwardSensors } from '../sandboxes/sensor-events.ts';
import { writeAtomically } from '../state/write-atomically.ts';

export interface HostSensorsOptions {
  /** The control plane's socket: the directory `host` is made beside it. */
  readonly socket: string;
  readonly events: EventSink;
  readonly logger: Logger;
  compile(policy: LoadedPolicy): SensorPolicyFile;
}

/**
 * Policy and socket for the sensors of programs that run on the host itself, outside of any sandbox (DESIGN §11): they
 * look for them here. Who a program is, is its own claim, and its events say so. Where the directory can't be made there
 * is no such place, and sandboxes go on.
 */
export class HostSensors {
  readonly #options: HostSensorsOptions;
  readonly #dir: string;
  #policy: LoadedPolicy | undefined;
  #server: SensorServer | undefined;

  constructor(options: HostSensorsOptions) {
    this.#options = options;
    this.#dir = join(dirname(options.socket), 'host');
  }

  /** Programs that are connected. */
  get connections(): number {
    return this.#server?.connections ?? 0;
  }

  /** Listens; never rejects. */
  async open(): Promise<void> {
    const { events, logger } = this.#options;
    try {
      mkdirSync(this.#dir, { recursive: true });
      // Not by mkdir's mode: the process's umask would narrow it, and programs of every user look here.
      chmodSync(this.#dir, 0o755);
      const listener = forwardSensors({ sandbox: undefined, policy: () => this.#policy }, events);
      this.#server = await listenSensors(join(this.#dir, SENSOR_SOCKET), listener);
    } catch (thrown) {
      logger.warn('programs of the host get no policy', { cause: toUcpError(thrown).message });
    }
  }

  /** Replaces the policy that programs read. Throws STATE_UNUSABLE, and then the old one stands. */
  put(policy: LoadedPolicy): void {
    if (this.#server === undefined) return;
    const path = join(this.#dir, SENSOR_POLICY);
    const text = JSON.stringify(this.#options.compile(policy));
    this.#policy = policy;
    if (text === current(path)) return;
    try {
      writeAtomically(path, text, { mode: 0o644, durable: false });
    } catch (cause) {
      throw new UcpError('STATE_UNUSABLE', `${path} can't be written: ${String(cause)}.`, { cause });
    }
  }

  /** Ends the listening. With `forget` new programs find no policy; those that run keep theirs. */
  async close({ forget }: { readonly forget: boolean }): Promise<void> {
    if (forget) rmSync(join(this.#dir, SENSOR_POLICY), { force: true });
    await this.#server?.close();
    this.#server = undefined;
  }
}

function current(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
