import type { JsonObject } from '../../core/json.ts';
import { denialError, type Finding } from '../../policy/mcp/denial.ts';
import { eventOf } from '../../policy/mcp/methods.ts';
import { PendingRequests } from '../../policy/mcp/pending.ts';
import { isObject, stringAt, type WireObject } from '../../policy/mcp/wire.ts';
import type { GatewayEvents } from './events.ts';
import type { GatewayRules, Target } from './rules.ts';

/** A request that waits for its answer. */
export interface Pending {
  readonly method: string;
  readonly target: Target | undefined;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** A refusal as it goes into a JSON-RPC answer. */
export type Refusal = ReturnType<typeof denialError>;

/** Attribute that names a target, after OpenTelemetry's MCP and GenAI conventions. */
const TARGET_ATTRIBUTE = {
  tools: 'gen_ai.tool.name',
  resources: 'mcp.resource.uri',
  prompts: 'gen_ai.prompt.name',
} as const;

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
/** Tasks that are remembered. */
const MAX_TASKS = 1024;

/** What is known of the conversation that crosses the boundary, whichever policy is in force. */
export class Scene {
  readonly events: GatewayEvents;
  rules: GatewayRules;
  /** Requests on their way to the server, and to the client: their ids are independent. */
  readonly toServer = new PendingRequests<Pending>();
  readonly toClient = new PendingRequests<Pending>();
  #server: string | undefined;
  readonly #tasks = new Map<string, Target>();

  constructor(events: GatewayEvents, rules: GatewayRules) {
    this.events = events;
    this.rules = rules;
  }

  /** The server's own name; undefined until it has said it. The first word counts. */
  get server(): string | undefined {
    return this.#server;
  }

  /** Looks at a result of the server; `introduces`: it may be that of `initialize` or `server/discover`. */
  learn(result: WireObject, introduces: boolean): void {
    if (this.#server !== undefined) return;
    const meta = result['_meta'];
    const stamped = isObject(meta) ? stringAt(meta[SERVER_INFO], 'name') : undefined;
    this.#server = (introduces ? stringAt(result['serverInfo'], 'name') : undefined) ?? stamped;
  }

  /** Remembers which call a task belongs to (2025-11-25): its result comes in an answer to another request. */
  learnTask({ target }: Pending, result: WireObject): void {
    const id =
      stringAt(result['task'], 'taskId') ?? (result['resultType'] === 'task' ? stringAt(result, 'taskId') : undefined);
    if (id === undefined || target === undefined) return;
    if (this.#tasks.size >= MAX_TASKS) this.#tasks.clear();
    this.#tasks.set(id, target);
  }

  /** The call whose result is asked for. */
  taskOf(method: string, params: unknown): Target | undefined {
    if (method !== 'tasks/result' && method !== 'tasks/get') return undefined;
    return this.#tasks.get(stringAt(params, 'taskId') ?? '');
  }

  /** Tells of `finding` and makes the refusal of it, where it blocks. */
  found(method: string, target: Target | undefined, finding: Finding): Refusal | undefined {
    const { rule, mode, action, message } = finding;
    const id = this.events.emit({
      name: 'mcp_violation',
      domain: 'mcp',
      body: { ...this.#body(), message },
      attributes: this.#attributes(method, target),
      violation: { rule, mode, action, message },
    });
    return action === 'blocked' ? denialError(finding, this.rules.policyId, id) : undefined;
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

  #seen(name: string, method: string, target: Target | undefined, more: JsonObject): void {
    const attributes = this.#attributes(method, target);
    this.events.emit({ name, domain: 'mcp', body: { ...this.#body(), ...more }, attributes });
  }

  #body(): JsonObject {
    return { side: 'server', server: this.#server ?? '(unnamed)', transport: 'stdio' };
  }

  #attributes(method: string, target: Target | undefined): JsonObject {
    return {
      'mcp.method.name': method,
      'mcp.server.name': this.#server ?? '(unnamed)',
      ...(target === undefined ? {} : { [TARGET_ATTRIBUTE[target.kind]]: target.name }),
    };
  }
}
