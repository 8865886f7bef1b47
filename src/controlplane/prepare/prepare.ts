import { randomBytes } from 'node:crypto';

import { toErrorRecord, toUcpError } from '../../core/errors.ts';
import type { EventSink } from '../../core/events.ts';
import type { Plan } from '../../core/plan.ts';
import type { LeaseHolder } from '../../core/protocol.ts';
import { NAMESPACES, type RunRequest } from '../../core/run-request.ts';
import { assertDistinguishable, unreachablePorts } from '../../net/ambiguity.ts';
import { networkRules } from '../../net/rules.ts';
import { compileNetwork, type Network, networkConfig, type Policy } from '../../policy/index.ts';
import type { LoadedPolicy } from '../policy/loaded-policy.ts';
import { type SandboxRecord, storable } from '../sandboxes/record.ts';
import { type Absences, degradedControls, requestedControls, runAbsences } from './controls.ts';
import type { DecidedOptions } from './decided.ts';
import { observedEvent, refusedEvent } from './prepare-events.ts';
import { buildPlan, type PlanInput } from './plan.ts';

/** What preparing needs from around it. */
export interface PrepareContext extends Pick<PlanInput, 'bundles' | 'seccomp' | 'owner'> {
  readonly now: () => number;
  readonly events: EventSink;
  readonly files: Omit<PlanInput['files'], 'runDir'>;
  readonly runDir: (sandboxId: string) => string;
  readonly absences: Absences;
  /** The network configurations that a run under this policy may name. */
  networks(policy: Policy): Network;
  /** The policy for this request. Rejects when it can't be had. */
  policyFor(request: Pick<RunRequest, 'policyFile' | 'policyKey' | 'networkConfig'>): Promise<LoadedPolicy>;
  /** request ∩ policy. Throws what is refused, with the rule's pointer. */
  decide(policy: LoadedPolicy, request: RunRequest): DecidedOptions;
}

/** A decided run: the plan for the front end, the record for us. */
export interface Prepared {
  readonly plan: Plan;
  readonly record: SandboxRecord;
  readonly policy: LoadedPolicy;
}

/**
 * Decides a run and makes nothing. What is refused is also reported as an event, and so is what is only observed; a
 * dry run reports nothing.
 */
export async function prepare(
  request: RunRequest,
  lease: LeaseHolder,
  context: PrepareContext,
  options: { readonly report: boolean },
): Promise<Prepared> {
  const report: EventSink = options.report ? context.events : { emit: () => undefined };
  let policy: LoadedPolicy | undefined;
  try {
    policy = await context.policyFor(request);
    const decision = decideRun(request, policy, context);
    const prepared = assemble(request, lease, policy, decision, context);
    for (const violation of decision.decided.observed) report.emit(observedEvent(request, policy.ref, violation));
    return prepared;
  } catch (thrown) {
    const error = toUcpError(thrown);
    report.emit(refusedEvent(request, policy?.ref, toErrorRecord(error)));
    throw error;
  }
}

type Decision = {
  readonly decided: DecidedOptions;
  readonly degraded: SandboxRecord['degraded'];
  readonly warnings: readonly string[];
};

/** The decisions of policy about a request, without anything made from them. Throws what is refused. */
export function decideRun(
  request: RunRequest,
  policy: LoadedPolicy,
  context: Pick<PrepareContext, 'absences' | 'decide' | 'networks'>,
): Decision {
  const network = context.networks(policy.policy);
  const warnings = judgeNetwork(request, network);
  const requested = requestedControls({ ...policy.policy, network }, request.networkConfig);
  const degraded = degradedControls(requested, runAbsences(context.absences, request), request.allowDegraded);
  return { decided: context.decide(policy, request), degraded, warnings };
}

function assemble(
  request: RunRequest,
  lease: LeaseHolder,
  policy: LoadedPolicy,
  { decided, degraded, warnings }: Decision,
  context: PrepareContext,
): Prepared {
  const sandboxId = randomBytes(6).toString('hex');
  const record: SandboxRecord = {
    sandboxId,
    name: request.name ?? `ucp-${sandboxId}`,
    lease,
    request: storable(request),
    degraded,
    shared: NAMESPACES.filter((namespace) => namespace !== 'user' && !decided.namespaces[namespace]),
    policyDigest: policy.ref.digest,
    createdAt: new Date(context.now()).toISOString(),
  };
  const files = { ...context.files, runDir: context.runDir(sandboxId) };
  const endMarker = request.mode === 'attached' ? randomBytes(16).toString('hex') : undefined;
  const plan = buildPlan({ ...context, record, policy, decided, files, endMarker, warnings });
  return { plan, record, policy };
}

/** What the user should know of the chosen configuration. Throws NETWORK_CONFIG_UNKNOWN, INGRESS_AMBIGUOUS. */
function judgeNetwork({ networkConfig: name, ports }: RunRequest, network: Network): readonly string[] {
  if (name === undefined) return [];
  const { egress: _, ...inward } = networkConfig({ network }, name);
  if (ports.length === 0) return [];
  const rules = networkRules(compileNetwork({ network: { [name]: inward } }, name));
  assertDistinguishable(rules, ports);
  return unreachablePorts(rules, ports);
}
