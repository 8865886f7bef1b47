import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { FakeEngine } from '../../../test/fakes/engine.ts';
import { LABEL } from '../../core/labels.ts';
import { silentLogger } from '../../core/ports.ts';
import { PLAIN_RUN, type RunRequest } from '../../core/run-request.ts';
import { ManualClock } from '../../telemetry/testing/manual-clock.ts';
import type { LoadedPolicy } from '../policy/loaded-policy.ts';
import type { SandboxContext } from '../sandboxes/context.ts';
import type { SandboxControl } from '../sandboxes/control.ts';
import type { SandboxRecord } from '../sandboxes/record.ts';
import { SandboxRegistry } from '../sandboxes/registry.ts';
import { SandboxDirs } from '../sandboxes/sandbox-dirs.ts';
import { Sandboxes } from '../sandboxes/sandboxes.ts';
import { Vault } from '../sandboxes/vault.ts';
import { EventList } from './event-list.ts';

export const REQUEST: RunRequest = { ...PLAIN_RUN, image: 'image', remove: true };

export const LEASE = { pid: 1, startTime: '2', bootId: 'boot' };

/** A policy of a given version; its generation is the version. */
export function policyOf(version: number): LoadedPolicy {
  const ref = { policy_id: 'p', version, digest: `sha256:${version}`, generation: version };
  return { policy: { policy_id: 'p', version }, ref, source: 'service', size: 10 };
}

export function recordOf(sandboxId: string, request: Partial<RunRequest> = {}): SandboxRecord {
  return {
    sandboxId,
    name: request.name ?? sandboxId,
    lease: LEASE,
    request: { ...REQUEST, ...request },
    degraded: [],
    shared: [],
    policyDigest: 'sha256:1',
    createdAt: '2026-01-01T00:00:00.000Z',
  };
}

/** Sandboxes with real sockets in a directory of their own, over an engine in memory and a clock that stands still. */
export class Scene {
  readonly dir = mkdtempSync(join(tmpdir(), 'cp-unit-'));
  readonly engine = new FakeEngine();
  readonly clock = new ManualClock();
  readonly events = new EventList();
  readonly registry = new SandboxRegistry();
  readonly dirs = new SandboxDirs(this.dir);
  readonly sandboxes: Sandboxes;
  readonly context: SandboxContext;
  /** What a start gets; may throw. */
  policy: () => LoadedPolicy = () => policyOf(1);
  /** What policy has against a start; throws it. */
  permit: () => void = () => undefined;

  constructor(controls: readonly SandboxControl[] = []) {
    const { engine, clock, events, registry, dirs } = this;
    this.context = {
      engine,
      clock,
      events,
      registry,
      dirs,
      controls,
      vault: new Vault(),
      owner: 'us',
      logger: silentLogger,
      policyFor: async () => this.policy(),
      permit: () => this.permit(),
      sensorPolicy: ({ ref }) => ({ format: 1, ...ref, policy: {}, programs: {} }),
      writeSensorPolicy: (sandboxId, { ref }) =>
        dirs.writePolicy(sandboxId, { format: 1, ...ref, policy: {}, programs: {} }),
    };
    this.sandboxes = new Sandboxes(this.context);
    this.sandboxes.watch();
  }

  /** Adds the container of a sandbox to the engine. */
  contain(sandboxId: string, facts: Parameters<FakeEngine['add']>[2] = {}): string {
    const id = `c-${sandboxId}`;
    this.engine.add(id, { [LABEL.sandbox]: sandboxId, [LABEL.owner]: 'us' }, facts);
    return id;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sandboxes.close();
    rmSync(this.dir, { recursive: true, force: true });
  }
}
