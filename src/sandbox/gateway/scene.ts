import type { ViolationRef } from '../../core/events.ts';
import type { JsonObject } from '../../core/json.ts';
import { denialError, type Finding } from '../../policy/mcp/denial.ts';
import { eventOf } from '../../policy/mcp/methods.ts';
import { PendingRequests } from '../../policy/mcp/pending.ts';
import type { Change, ToolPins } from '../../policy/mcp/pins.ts';
import type { WireObject } from '../../policy/mcp/wire.ts';
import type { GatewayEvents } from './events.ts';
import type { GatewayRules, Target } from './rules.ts';
import { ServerFacts, toolPins } from './server-facts.ts';

/** A request that waits for its answer. */
export interface Pending {
  readonly id: string | number | null;
  readonly method: string;
  readonly target: Target | undefined;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** A refusal as it goes into a JSON-RPC answer. */
export type Refusal = ReturnType<typeof denialError>;

/** Attribute that names a target, after OpenTelemetry's MCP and GenAI conventions. */
const TARGET_ATTRIBUTE: Readonly<Partial<Record<Target['kind'], string>>> = {
  tools: 'gen_ai.tool.name',
  resources: 'mcp.resource.uri',
  prompts: 'gen_ai.prompt.name',
};

/** What all conversations of one gateway share; `rules` are those of the policy in force now. */
export interface Stage {
  readonly events: GatewayEvents;
  rules: GatewayRules;
}

/** What events say of a conversation. */
interface Setting {
  transport: 'stdio' | 'http' | 'sse';
  /** `Mcp-Session-Id`, where there is one. */
  session?: string | undefined;
}

/** What is known of one conversation that crosses the boundary, whichever policy is in force. */
export class Scene {
  readonly facts: ServerFacts;
  readonly setting: Setting;
  /** Requests on their way to the server, and to the client: their ids are independent. */
  readonly toServer = new PendingRequests<Pending>();
  readonly toClient = new PendingRequests<Pending>();
  /** What tools were when they were listed first in this session. */
  readonly #pins = toolPins();
  readonly #stage: Stage;
  readonly #elsewhere: () => Iterable<PendingRequests<Pending>>;

  /** `elsewhere`: requests of other conversations whose answers may come here. */
  constructor(
    stage: Stage,
    setting: Setting,
    facts = new ServerFacts(),
    elsewhere: () => Iterable<PendingRequests<Pending>> = () => [],
  ) {
    this.#stage = stage;
    this.setting = setting;
    this.facts = facts;
    this.#elsewhere = elsewhere;
  }

  get rules(): GatewayRules {
    return this.#stage.rules;
  }

  /** The server's own name; undefined until it has said it. */
  get server(): string | undefined {
    return this.facts.name;
  }

  /** The requests that an answer of the server with this id may belong to. */
  askedAs(id: string | number): readonly Pending[] {
    const own = this.toServer.answer(id);
    return own.length > 0 ? own : [...this.#elsewhere()].flatMap((pending) => pending.answer(id));
  }

  /** Tells of `finding` and makes the refusal of it, where it blocks. */
  found(method: string, target: Target | undefined, finding: Finding): Refusal | undefined {
    const violation = violationOf(finding);
    const id = this.#stage.events.emit({
      name: 'mcp_violation',
      domain: 'mcp',
      body: { ...this.#body(), message: violation.message },
      attributes: this.#attributes(method, target),
      violation,
    });
    return finding.action === 'blocked' ? denialError(finding, this.rules.policyId, id) : undefined;
  }

  /** Tells of what can't be judged and makes the refusal of it, unless policy lets it pass. */
  unjudged(method: string, problem: string): Refusal | undefined {
    const { failsClosed } = this.rules;
    return this.found(method, undefined, {
      rule: '/gateway/mcp',
      mode: failsClosed ? 'enforce' : 'observe',
      action: failsClosed ? 'blocked' : 'allowed',
      message: `A message can't be judged: ${problem}. ${failsClosed ? 'Refused' : 'Passed'} by /gateway/mcp.`,
      advice: 'The message could not be judged and was refused. Do not retry it.',
    });
  }

  /** Tells of a request that was answered; `lengths`: entries of its list before and after filtering. */
  answered(one: Pending, outcome: string, lengths?: readonly [number, number]): void {
    const name = eventOf(one.method);
    if (name === undefined) return;
    const listed: JsonObject = lengths === undefined ? {} : { listed: lengths[1], hidden: lengths[0] - lengths[1] };
    this.#seen(name, one.method, one.target, { outcome, duration_ms: Date.now() - one.since, ...listed });
  }

  /** A notification or an embedded request that is worth telling. */
  saw(name: string, method: string): void {
    this.#seen(name, method, undefined, {});
  }

  /** The rule that a tool breaks that was another one when it was last listed in this session. */
  changed({ kind, name }: Target): Finding | undefined {
    return kind === 'tools' && this.#sessionPins.changed(name) ? this.rules.changed(this.server, name) : undefined;
  }

  /** Pins a tool that is listed; tells of one that is not what it was when it was listed first. True: it is hidden. */
  pin(name: string, tool: WireObject): boolean {
    const ever = this.facts.pins.check(name, tool);
    const here = this.#sessionPins === this.facts.pins ? ever : this.#sessionPins.check(name, tool);
    const finding = here === undefined ? undefined : this.rules.changed(this.server, name);
    if (here !== undefined && !here.told) this.#tellChange(name, here, finding);
    else if (here === undefined && ever !== undefined && !ever.told) this.#tellChange(name, ever, undefined);
    return finding?.action === 'blocked';
  }

  /** Without a session every exchange has a scene of its own: there the path's life is the session. */
  get #sessionPins(): ToolPins {
    return this.setting.transport === 'http' && this.setting.session === undefined ? this.facts.pins : this.#pins;
  }

  #tellChange(name: string, { pinned, now }: Change, finding: Finding | undefined): void {
    this.#stage.events.emit({
      name: 'tool_definition_changed',
      domain: 'mcp',
      ...(finding === undefined ? { severity: 'WARN' } : { violation: violationOf(finding) }),
      body: { ...this.#body(), pinned, now },
      attributes: { 'gen_ai.tool.name': name, 'mcp.server.name': this.server ?? '(unnamed)' },
    });
  }

  /** What a server says where only messages belong; `lines`: how often so far. */
  noise(lines: number): void {
    const { server, transport } = this.#body();
    this.#stage.events.emit({
      name: 'mcp_noise',
      domain: 'mcp',
      severity: 'WARN',
      body: { server: server ?? '', transport: transport ?? '', lines },
    });
  }

  #seen(name: string, method: string, target: Target | undefined, more: JsonObject): void {
    const attributes = this.#attributes(method, target);
    this.#stage.events.emit({ name, domain: 'mcp', body: { ...this.#body(), ...more }, attributes });
  }

  #body(): JsonObject {
    return { side: 'server', server: this.server ?? '(unnamed)', transport: this.setting.transport };
  }

  #attributes(method: string, target: Target | undefined): JsonObject {
    const named = target === undefined ? undefined : TARGET_ATTRIBUTE[target.kind];
    return {
      'mcp.method.name': method,
      'mcp.server.name': this.server ?? '(unnamed)',
      ...(this.setting.session === undefined ? {} : { 'mcp.session.id': this.setting.session }),
      ...(target === undefined || named === undefined ? {} : { [named]: target.name }),
    };
  }
}

function violationOf({ rule, mode, action, message }: Finding): ViolationRef {
  return { rule, mode, action, message };
}
