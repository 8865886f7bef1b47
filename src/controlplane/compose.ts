import { assertSocketPath } from '../core/paths.ts';
import { SENSOR_SOCKET } from '../core/plan.ts';
import { findAbsences, findBundles } from './absences.ts';
import type { DaemonOptions } from './daemon.ts';
import { type Enforcement, startEnforcement } from './enforcement.ts';
import { HostSensors } from './host/host-sensors.ts';
import { findInstall, installed, readInstalled } from './install.ts';
import { networksOf, parsePresets } from '../net/presets.ts';
import { type PolicyPart, startPolicyPart } from './policy-part.ts';
import type { LoadedPolicy } from './policy/loaded-policy.ts';
import { type Outdated, outdatedEvent, outdatedSandboxes } from './policy/outdated.ts';
import { applyToSandboxes, sensorPolicyCompiler } from './policy/sensor-policy.ts';
import { decideRunOptions } from './prepare/decide-options.ts';
import { optionsContext } from './prepare/host-facts.ts';
import { findHostFiles } from './prepare/host-mounts.ts';
import { decideRun, type PrepareContext } from './prepare/prepare.ts';
import type { SandboxContext } from './sandboxes/context.ts';
import { SandboxRegistry } from './sandboxes/registry.ts';
import { SandboxDirs } from './sandboxes/sandbox-dirs.ts';
import { Sandboxes } from './sandboxes/sandboxes.ts';
import { Vault } from './sandboxes/vault.ts';

/** The parts of a control plane, connected. */
export interface Composition {
  readonly sandboxes: Sandboxes;
  readonly sandboxContext: SandboxContext;
  readonly policyPart: PolicyPart;
  readonly prepareContext: PrepareContext;
  readonly enforcement: Enforcement;
  readonly hostSensors: HostSensors;
  /** Running sandboxes that a policy would refuse. */
  outdated(policy: LoadedPolicy): readonly Outdated[];
}

/** Connects the parts; policy loading begins with it. Throws INSTALL_INCOMPLETE, STATE_UNUSABLE, CONFIG_INVALID. */
export function compose(options: DaemonOptions): Composition {
  const { engine, clock, logger, telemetry, owner } = options;
  const { stateDir } = options.paths;
  const install = findInstall();
  const dirs = new SandboxDirs(stateDir);
  assertSocketPath(`${dirs.path('0'.repeat(12))}/${SENSOR_SOCKET}`);
  const presets = parsePresets(readInstalled(install.networkPresets));
  const networks: PrepareContext['networks'] = (policy) => networksOf(policy, presets);
  const registry = new SandboxRegistry();
  const vault = new Vault();
  const redacted = vault.redacting(telemetry);
  const enforcement = startEnforcement({ ...options, events: redacted }, install, networks, (notice) =>
    registry.byId(notice.sandboxId)?.holder?.notify(notice),
  );
  const { controls } = enforcement;
  const compile = sensorPolicyCompiler();
  const bundles = findBundles(install);
  const absences = findAbsences(bundles, controls);
  const events = enforcement.trace.hearing(redacted);
  const common = { engine, clock, logger, events, dirs, registry, owner, controls, vault };
  const host = optionsContext(options.paths, options.config.from);
  const decide: PrepareContext['decide'] = (policy, request) => decideRunOptions(policy, request, host);
  const outdated: Composition['outdated'] = (policy) =>
    outdatedSandboxes(registry.all(), policy, (request, now) =>
      decideRun(request, now, { absences, decide, networks }),
    );
  const sandboxContext: SandboxContext = {
    ...common,
    policyFor: ({ request }) => policyPart.policies.forRequest(request),
    permit: ({ request }, policy) => void decideRun(request, policy, { absences, decide, networks }),
    sensorPolicy: compile,
    writeSensorPolicy: (sandboxId, policy) => dirs.writePolicy(sandboxId, compile(policy)),
  };
  const { socket } = options.paths;
  const hostSensors = new HostSensors({ socket, events: telemetry, logger, compile });
  const policyPart = startPolicyPart({
    config: options.config.config,
    stateDir,
    install,
    onDemand: options.onDemand,
    clock,
    events: telemetry,
    logger,
    apply: async (policy) => {
      compile(policy);
      await applyToSandboxes(policy, sandboxContext, () => hostSensors.put(policy));
      for (const found of outdated(policy)) telemetry.emit(outdatedEvent(found, policy));
    },
  });
  const prepareContext: PrepareContext = {
    bundles,
    seccomp: readInstalled(install.seccomp).toString('utf8'),
    owner,
    now: () => clock.now(),
    events: telemetry,
    files: {
      init: installed(install.init),
      ...(bundles.node === undefined && bundles.python === undefined ? {} : { sensors: install.sensors }),
      ...findHostFiles(),
    },
    runDir: (sandboxId) => dirs.path(sandboxId),
    absences,
    policyFor: async (request) => {
      const policy = await policyPart.policies.forRequest(request);
      await enforcement.ready(policy, request);
      return policy;
    },
    decide,
    networks,
  };
  return {
    sandboxes: new Sandboxes(sandboxContext),
    sandboxContext,
    policyPart,
    prepareContext,
    enforcement,
    hostSensors,
    outdated,
  };
}
