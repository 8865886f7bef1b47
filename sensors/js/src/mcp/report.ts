import type { ViolationRef } from '../../../../src/core/events.ts';
import type { JsonObject } from '../../../../src/core/json.ts';
import type { Events } from '../events/line.ts';
import type { PreparedLine } from '../events/prepared.ts';
import { redactName } from '../events/redact.ts';
import type { Finding, Side, Target } from '../policy/decider.ts';
import type { Sensor } from '../sensor.ts';
import { eventOf } from '../../../../src/policy/mcp/methods.ts';
import type { Change } from '../../../../src/policy/mcp/pins.ts';
import type { Pending } from './pending.ts';

/** Attribute that names a target, after OpenTelemetry's MCP and GenAI conventions. */
const TARGET_ATTRIBUTE: Readonly<Partial<Record<Target['kind'], string>>> = {
  tools: 'gen_ai.tool.name',
  resources: 'mcp.resource.uri',
  prompts: 'gen_ai.prompt.name',
};

/** What a conversation adds to each of its events. */
export interface Scene {
  readonly side: Side;
  readonly server: string | undefined;
  readonly transport: string;
  readonly session?: string | undefined;
}

/** An event says so where a server hasn't said its name. */
function nameOf(scene: Scene): string {
  return scene.server ?? '(unnamed)';
}

function attributesOf(scene: Scene, method: string, target: Target | undefined): JsonObject {
  const named = target === undefined ? undefined : TARGET_ATTRIBUTE[target.kind];
  return {
    'mcp.method.name': method,
    'mcp.server.name': nameOf(scene),
    ...(scene.session === undefined ? {} : { 'mcp.session.id': scene.session }),
    ...(target === undefined || named === undefined ? {} : { [named]: redactName(target.name) }),
  };
}

function violationOf({ rule, mode, action, message }: Finding): ViolationRef {
  return { rule, mode, action, message: redactName(message) };
}

/** A broken rule; returns the event's id. */
export function reportFinding(
  sensor: Sensor,
  scene: Scene,
  found: { readonly method: string; readonly target: Target | undefined; readonly finding: Finding },
): string {
  const violation = violationOf(found.finding);
  return sensor.events.emit({
    name: 'mcp_violation',
    domain: 'mcp',
    body: { side: scene.side, server: nameOf(scene), transport: scene.transport, message: violation.message },
    attributes: attributesOf(scene, found.method, found.target),
    violation,
  });
}

/** The event of requests like `pending`, encoded as far as they are alike; `undefined`: they are none. */
export function prepareAnswered(events: Events, scene: Scene, pending: Pending): PreparedLine | undefined {
  const name = eventOf(pending.method);
  if (name === undefined) return undefined;
  return events.prepare({
    name,
    domain: 'mcp',
    body: { side: scene.side, server: nameOf(scene), transport: scene.transport },
    attributes: attributesOf(scene, pending.method, pending.target),
  });
}

/** A tool that is not what was listed first; `finding`: the rule that says that it stays. */
export function reportChange(
  sensor: Sensor,
  scene: Scene,
  tool: string,
  { pinned, now, finding }: Change & { readonly finding: Finding | undefined },
): void {
  sensor.events.emit({
    name: 'tool_definition_changed',
    domain: 'mcp',
    ...(finding === undefined ? { severity: 'WARN' as const } : { violation: violationOf(finding) }),
    body: { side: scene.side, server: nameOf(scene), transport: scene.transport, pinned, now },
    attributes: { 'gen_ai.tool.name': tool, 'mcp.server.name': nameOf(scene) },
  });
}

/** A notification or an embedded request that is worth telling. */
export function reportSeen(sensor: Sensor, scene: Scene, name: string, method: string): void {
  sensor.events.emit({
    name,
    domain: 'mcp',
    body: { side: scene.side, server: nameOf(scene), transport: scene.transport },
    attributes: attributesOf(scene, method, undefined),
  });
}
