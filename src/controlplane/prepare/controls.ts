import { UcpError } from '../../core/errors.ts';
import type { DegradedControl } from '../../core/plan.ts';
import type { RunRequest } from '../../core/run-request.ts';
import { inherit, type Mode, type Policy, type Switches } from '../../policy/index.ts';

/** What a policy can ask for besides `options`, which the control plane enforces itself. */
const CONTROLS = [
  'js_sensor',
  'python_sensor',
  'gateway',
  'gateway.client',
  'langchain',
  'crewai',
  'a2a',
  'llm',
  'exec',
  'network',
] as const;
export type Control = (typeof CONTROLS)[number];

/** What this host can put in force: undefined, or the reason why not. */
export type Absences = Readonly<Record<Control, string | undefined>>;

/** The gateway needs to know that a protocol is spoken, and which: a run that doesn't say so is without it. */
export function runAbsences(absences: Absences, { mcp }: Pick<RunRequest, 'mcp'>): Absences {
  if (absences.gateway !== undefined || mcp !== undefined) return absences;
  return { ...absences, gateway: 'it looks at servers that are run with --mcp stdio or --mcp http:PORT' };
}

type Section = readonly [Control, readonly (Switches | undefined)[]];

/** Every place of the document that can ask for enforcement, with the sections around it. */
function sections(policy: Policy, networkConfig: string | undefined): readonly Section[] {
  const config = networkConfig === undefined ? undefined : policy.network?.[networkConfig];
  const sensors = (['js_sensor', 'python_sensor', 'gateway'] as const).flatMap((name): readonly Section[] => {
    const sensor = policy[name];
    const mcp = sensor?.mcp;
    const around = [sensor, ...(mcp === undefined ? [] : [mcp])];
    const sides = [name === 'gateway' ? undefined : mcp?.client, mcp?.server].filter((side) => side !== undefined);
    return [[name, around], ...sides.map((side): Section => [name, [...around, side]])];
  });
  return [
    ...sensors,
    ...clientRulesOfGateway(policy),
    ['langchain', [policy.langchain]],
    ['crewai', [policy.crewai]],
    ['a2a', [policy.a2a]],
    ['llm', [policy.llm]],
    ['exec', [policy.exec]],
    ['network', [config]],
  ];
}

/** Rules for clients under `gateway`: at the boundary of a server nobody decides on them. */
function clientRulesOfGateway({ gateway }: Policy): readonly Section[] {
  const mcp = gateway?.mcp;
  if ((mcp?.client ?? mcp?.http_servers ?? mcp?.stdio_servers) === undefined) return [];
  return [['gateway.client', [gateway, mcp, mcp?.client]]];
}

/** What a policy asks for in a run that chose `networkConfig`: each control at its strictest mode, absent ones left out. */
export function requestedControls(
  policy: Policy,
  networkConfig: string | undefined,
): ReadonlyMap<Control, Mode['mode']> {
  const requested = new Map<Control, Mode['mode']>();
  for (const [control, path] of sections(policy, networkConfig)) {
    const { enabled, mode } = inherit(path);
    if (enabled && requested.get(control) !== 'enforce') requested.set(control, mode);
  }
  return requested;
}

/**
 * Invariant 1: what is to be enforced and can't be is refused by name, unless the user accepts to be without it. What is
 * only to be observed and isn't there is listed. Throws CONTROL_UNENFORCEABLE, CONTROL_UNKNOWN.
 */
export function degradedControls(
  requested: ReadonlyMap<Control, Mode['mode']>,
  absences: Absences,
  allowed: readonly string[],
): readonly DegradedControl[] {
  assertKnown(allowed);
  const degraded: DegradedControl[] = [];
  for (const [control, mode] of requested) {
    const reason = absences[control];
    if (reason === undefined) continue;
    if (mode === 'observe') degraded.push({ control, reason, consent: 'observe' });
    else if (allowed.includes(control)) degraded.push({ control, reason, consent: 'allowed' });
    else throw unenforceable(control, reason);
  }
  return degraded;
}

function assertKnown(allowed: readonly string[]): void {
  const strange = allowed.find((name) => !(CONTROLS as readonly string[]).includes(name));
  if (strange === undefined) return;
  throw new UcpError(
    'CONTROL_UNKNOWN',
    `--allow-degraded=${strange} names no control; there are ${CONTROLS.join(', ')}.`,
  );
}

function unenforceable(control: Control, reason: string): UcpError {
  return new UcpError(
    'CONTROL_UNENFORCEABLE',
    `The policy asks to enforce ${control}, which is not in force here: ${reason}. To run without it: --allow-degraded=${control}`,
    { pointer: control === 'gateway.client' ? '/gateway/mcp' : `/${control}`, details: { control, reason } },
  );
}
