import type { SensorPolicyFile } from '../../core/sensor-protocol.ts';
import type { JsonValue } from '../../core/json.ts';
import type { Decision } from '../../policy/decide/decision.ts';
import { decideMcpContent } from '../../policy/decide/mcp-content.ts';
import { type McpKind, type McpPolicy, rulesFor } from '../../policy/decide/mcp-rules.ts';
import { compileMcp, decideMcpChange, decideMcpName } from '../../policy/decide/mcp.ts';
import type { Finding } from '../../policy/mcp/denial.ts';
import type { Kind } from '../../policy/mcp/methods.ts';
import { onErrorOf } from '../../policy/schema/inherit.ts';
import { fileEngine } from '../../policy/sensor-file/engine.ts';
import type { SensorPrograms } from '../../policy/sensor-file/programs.ts';

/** A tool, resource or prompt of the server in the sandbox, or the method of a request or notification. */
export interface Target {
  readonly kind: Kind | 'methods';
  readonly name: string;
}

/** What patterns found in arguments or in a result; `value` is what to pass on, redacted or as it came. */
interface ContentVerdict {
  readonly findings: readonly Finding[];
  readonly value: unknown;
}

/** `gateway.mcp.server` of one policy, ready to decide. */
export interface GatewayRules {
  readonly policyId: string;
  readonly generation: number;
  /** Whether the policy wants anything of a gateway. */
  readonly enabled: boolean;
  readonly mode: 'observe' | 'enforce';
  /** Whether what can't be judged is refused. */
  readonly failsClosed: boolean;
  /** Whether there are rules on methods; without them nobody asks about one. */
  readonly methods: boolean;
  /** A tool of that name that is not what was listed first. */
  changed(server: string | undefined, tool: string): Finding | undefined;
  /** The deny and allow lists; `server`: its own name, undefined until it has said it. */
  name(server: string | undefined, target: Target): Finding | undefined;
  /** Argument and response patterns. */
  content(server: string | undefined, target: Target, part: 'arguments' | 'responses', value: unknown): ContentVerdict;
}

/** Nothing is wanted of a gateway. */
export const NO_RULES: GatewayRules = {
  policyId: '',
  generation: 0,
  enabled: false,
  mode: 'observe',
  failsClosed: false,
  methods: false,
  changed: () => undefined,
  name: () => undefined,
  content: (_server, _target, _part, value) => ({ findings: [], value }),
};

const KINDS: Readonly<Record<Target['kind'], McpKind>> = {
  tools: 'tool',
  resources: 'resource',
  prompts: 'prompt',
  methods: 'method',
};

/**
 * Prepares the gateway's rules of `file`. A server that has not said its name yet may be any: whatever one server's rules
 * refuse is refused. Throws INTERNAL for a file of another version.
 */
export function gatewayRules(file: SensorPolicyFile): GatewayRules {
  const policy: McpPolicy = file.policy;
  const compiled = compileMcp(policy, 'gateway', fileEngine(programsOf(file)));
  const { server: side } = compiled;
  const { enabled, mode } = side.mode;
  const candidates = (server: string | undefined, kind: McpKind): readonly (string | undefined)[] =>
    server === undefined ? [undefined, ...side.rules[kind].keys()] : [server];
  return {
    policyId: file.policy_id,
    generation: file.generation,
    enabled,
    mode,
    failsClosed: onErrorOf(policy.gateway?.mcp, mode) === 'block',
    methods: enabled && side.rules.method.size > 0,
    changed: (server, name) => findingOf(decideMcpChange(compiled, { side: 'server', server, name })),
    name: (server, { kind, name }) => {
      for (const candidate of candidates(server, KINDS[kind])) {
        const query = { side: 'server', kind: KINDS[kind], server: candidate, name } as const;
        const finding = findingOf(decideMcpName(compiled, query));
        if (finding !== undefined) return finding;
      }
      return undefined;
    },
    content: (server, { kind, name }, part, value) => {
      const findings: Finding[] = [];
      let passed = value;
      for (const candidate of candidates(server, KINDS[kind])) {
        if (rulesFor(side, KINDS[kind], candidate)?.[part] === undefined) continue;
        const query = { side: 'server', kind: KINDS[kind], server: candidate, name, part } as const;
        const decision = decideMcpContent(compiled, { ...query, value: json(passed) });
        const finding = findingOf(decision);
        if (finding !== undefined) findings.push(finding);
        if (decision.action === 'redacted') passed = decision.value;
      }
      return { findings, value: passed };
    },
  };
}

function findingOf(decision: Decision): Finding | undefined {
  if (!decision.violation || decision.rule === undefined) return undefined;
  const { rule, mode, action, message, modelMessage } = decision;
  return { rule, mode, action, message, advice: modelMessage };
}

/** What JSON.parse made is JSON. */
function json(value: unknown): JsonValue {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was parsed from JSON
  return value as JsonValue;
}

/** The compiled rules that the control plane wrote into the file. */
function programsOf(file: SensorPolicyFile): SensorPrograms {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- compileSensorPolicy of the same version made it
  return file.programs as unknown as SensorPrograms;
}
