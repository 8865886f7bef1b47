import type { JsonObject } from '../core/json.ts';
import { VERSION } from '../core/version.ts';
import type { PolicyLoader } from './loader/loader.ts';
import type { Poller } from './loader/poller.ts';
import type { PolicyStore } from './loader/policy-store.ts';
import type { Absences } from './prepare/controls.ts';
import { degradedControls, requestedControls } from './prepare/controls.ts';
import type { Outdated } from './policy/outdated.ts';
import type { Sandboxes } from './sandboxes/sandboxes.ts';

/** What `ucpd status` is made from. */
export interface StatusSources {
  readonly onDemand: boolean;
  readonly startedAt: number;
  readonly socket: string;
  readonly stateDir: string;
  readonly configFrom: string | null;
  readonly loader: PolicyLoader;
  readonly poller: Poller;
  readonly store: PolicyStore;
  readonly absences: Absences;
  readonly sandboxes: Sandboxes;
  readonly keyPinned: boolean;
  readonly outdated: () => readonly Outdated[];
  readonly processEvents: () => JsonObject;
  readonly telemetry: () => JsonObject;
}

/** The control plane's state as `ucpd status --json` prints it. */
export function statusReport(sources: StatusSources): JsonObject {
  const { loader, poller, store, sandboxes } = sources;
  const { ref, source, size, key } = loader.inForce;
  const { last } = poller;
  const list = sandboxes.list(true);
  return {
    program: 'ucpd',
    version: VERSION,
    pid: process.pid,
    mode: sources.onDemand ? 'on-demand' : 'service',
    started_at: new Date(sources.startedAt).toISOString(),
    socket: sources.socket,
    state_dir: sources.stateDir,
    config: sources.configFrom,
    state: loader.state.inForce,
    candidate: loader.state.candidate,
    startup_state: loader.startupState,
    policy: {
      id: ref.policy_id,
      version: ref.version,
      digest: ref.digest,
      generation: ref.generation,
      key: key ?? null,
      source,
      size,
    },
    key_pinned: sources.keyPinned,
    highest_version: store.memory.highest?.version ?? null,
    persistence_error: store.problem ?? null,
    last_check: last === undefined ? null : checkReport(last),
    controls: controlsReport(sources),
    process_events: sources.processEvents(),
    sandboxes: {
      running: list.filter(({ state }) => state === 'running' || state === 'waiting').length,
      total: list.length,
      outdated: sources.outdated().map(({ sandbox, error }) => ({ name: sandbox.record.name, reason: error.message })),
    },
    telemetry: sources.telemetry(),
  };
}

function checkReport({ at, outcome }: NonNullable<Poller['last']>): JsonObject {
  const error = 'error' in outcome ? { code: outcome.error.code, message: outcome.error.message } : null;
  return { at: new Date(at).toISOString(), outcome: outcome.outcome, error };
}

/** What the policy asks for: in force, only to be observed and absent, or enforced and absent (runs are refused). */
function controlsReport({ loader, absences }: StatusSources): JsonObject {
  const requested = requestedControls(loader.inForce.policy, undefined);
  const missing = degradedControls(requested, absences, [...requested.keys()]);
  return {
    in_force: [...requested.keys()].filter((control) => absences[control] === undefined),
    not_observed: missing
      .filter(({ consent }) => consent === 'observe')
      .map(({ control, reason }) => ({ control, reason })),
    not_enforced: missing
      .filter(({ consent }) => consent === 'allowed')
      .map(({ control, reason }) => ({ control, reason })),
  };
}
