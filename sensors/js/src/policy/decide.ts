import type { JsonObject, JsonValue } from '../../../../src/core/json.ts';
import type { SensorPolicyFile } from '../../../../src/core/sensor-protocol.ts';
import type { Decision } from '../../../../src/policy/decide/decision.ts';
import { inspect } from '../../../../src/policy/decide/inspect.ts';
import { decideMcpContent } from '../../../../src/policy/decide/mcp-content.ts';
import { type McpKind, type McpPolicy, rulesFor } from '../../../../src/policy/decide/mcp-rules.ts';
import { decideMcpHttp, decideMcpStdio } from '../../../../src/policy/decide/mcp-servers.ts';
import {
  type CompiledMcp,
  compileMcp,
  decideMcpChange,
  decideMcpName,
  type McpNameQuery,
} from '../../../../src/policy/decide/mcp.ts';
import { compilePatterns } from '../../../../src/policy/decide/patterns.ts';
import type { Policy } from '../../../../src/policy/schema/policy.ts';
import { onErrorOf } from '../../../../src/policy/schema/inherit.ts';
import { fileEngine } from '../../../../src/policy/sensor-file/engine.ts';
import type { SensorPrograms } from '../../../../src/policy/sensor-file/programs.ts';
import type { ContentVerdict, Decider, Finding, Known, Side, Target } from './decider.ts';

const KINDS: Readonly<Record<Target['kind'], McpKind>> = {
  tools: 'tool',
  resources: 'resource',
  prompts: 'prompt',
  methods: 'method',
};

/** Decisions on names that are kept; a hostile peer may ask for more. */
const MAX_KEPT = 10_000;

/** Prepares the rules of `file`. Throws for one that this sensor can't read: the caller keeps the last good policy. */
export function deciderOf(file: SensorPolicyFile): Decider {
  const policy = file.policy as McpPolicy & Pick<Policy, 'llm'>;
  const engine = fileEngine(file.programs as unknown as SensorPrograms);
  const compiled = compileMcp(policy, 'js_sensor', engine);
  return {
    generation: file.generation,
    watches: (side) => compiled[side].mode.enabled,
    failsClosed: (side) => onErrorOf(policy.js_sensor?.mcp, compiled[side].mode.mode) === 'block',
    about: knowledge(compiled),
    rulesMethods: (side) => compiled[side].mode.enabled && compiled[side].rules.method.size > 0,
    changed: (target) => findingOf(decideMcpChange(compiled, target)),
    content: (target, part, value) => contentVerdict(compiled, target, { part, value }),
    connection: (to) =>
      findingOf(to.transport === 'stdio' ? decideMcpStdio(compiled.servers, to) : decideMcpHttp(compiled.servers, to)),
    redact: redactor(policy, engine),
  };
}

/** What is known of targets is kept: the same few names are asked for again and again. */
function knowledge(compiled: CompiledMcp): Decider['about'] {
  const kept = new Map<string, Map<string, Known>>();
  const last: Record<Side, Known | undefined> = { client: undefined, server: undefined };
  let count = 0;
  return (side, kind, server, name) => {
    const before = last[side];
    if (before !== undefined && isAbout(before.target, kind, server, name)) return before;
    const at = server === undefined ? `${side} ${kind}` : `${side} ${kind} ${server}`;
    let known = kept.get(at)?.get(name);
    if (known === undefined) {
      known = makeKnown(compiled, { side, kind, server, name });
      if (++count > MAX_KEPT) {
        kept.clear();
        count = 1;
      }
      const names = kept.get(at) ?? new Map<string, Known>();
      kept.set(at, names.set(name, known));
    }
    last[side] = known;
    return known;
  };
}

function isAbout(target: Target, kind: Target['kind'], server: string | undefined, name: string): boolean {
  return target.name === name && target.kind === kind && target.server === server;
}

function makeKnown(compiled: CompiledMcp, target: Target): Known {
  const { enabled } = compiled[target.side].mode;
  const rules = enabled ? rulesFor(compiled[target.side], KINDS[target.kind], target.server) : undefined;
  return {
    target,
    finding: findingOf(decideMcpName(compiled, queryOf(target))),
    inspects: { arguments: rules?.arguments !== undefined, responses: rules?.responses !== undefined },
  };
}

function contentVerdict(
  compiled: CompiledMcp,
  target: Target,
  content: { readonly part: 'arguments' | 'responses'; readonly value: unknown },
): ContentVerdict {
  const value = content.value as JsonValue;
  const decision = decideMcpContent(compiled, { ...queryOf(target), part: content.part, value });
  const finding = findingOf(decision);
  return {
    findings: finding === undefined ? [] : [finding],
    ...(decision.action === 'redacted' ? { redacted: decision.value } : {}),
  };
}

function redactor(
  policy: Pick<Policy, 'llm'>,
  engine: ReturnType<typeof fileEngine>,
): (content: JsonObject) => JsonObject {
  const patterns = compilePatterns(policy.llm?.redact, '/llm/redact', engine);
  if (patterns === undefined) return (content) => content;
  // In this section a match is always replaced, whatever `action` says: there is no call to refuse.
  const replacing = { ...patterns, action: 'redact' } as const;
  return (content) => inspect(replacing, content).redacted as JsonObject;
}

function queryOf(target: Target): McpNameQuery {
  return { side: target.side, kind: KINDS[target.kind], server: target.server, name: target.name };
}

function findingOf(decision: Decision): Finding | undefined {
  if (!decision.violation || decision.rule === undefined) return undefined;
  const { rule, mode, action, message, modelMessage } = decision;
  return { rule, mode, action, message, advice: modelMessage };
}
