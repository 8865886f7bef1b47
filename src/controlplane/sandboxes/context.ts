import type { EventSink } from '../../core/events.ts';
import type { Clock, Logger } from '../../core/ports.ts';
import type { SensorPolicyFile } from '../../core/sensor-protocol.ts';
import type { Engine } from '../../engine/engine.ts';
import type { LoadedPolicy } from '../policy/loaded-policy.ts';
import type { SandboxControl } from './control.ts';
import type { SandboxRecord } from './record.ts';
import type { SandboxRegistry } from './registry.ts';
import type { SandboxDirs } from './sandbox-dirs.ts';
import type { Vault } from './vault.ts';

/** What the life of sandboxes needs from around it. */
export interface SandboxContext {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly events: EventSink;
  readonly logger: Logger;
  readonly dirs: SandboxDirs;
  readonly registry: SandboxRegistry;
  /** Value of the label `ucp.owner`. */
  readonly owner: string;
  readonly controls: readonly SandboxControl[];
  readonly vault: Vault;
  /** The policy that a sandbox gets now. Rejects when it can't be had. */
  policyFor(record: SandboxRecord): Promise<LoadedPolicy>;
  /** Throws when `policy` no longer permits what the sandbox was made with. */
  permit(record: SandboxRecord, policy: LoadedPolicy): void;
  /** The policy file of sensors, compiled. Throws what the compilers throw. */
  sensorPolicy(policy: LoadedPolicy): SensorPolicyFile;
  /** Compiles the policy file of the sandbox's sensors and puts it into its directory. */
  writeSensorPolicy(sandboxId: string, policy: LoadedPolicy): void;
}
