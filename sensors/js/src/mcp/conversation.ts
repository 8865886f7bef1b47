import type { Outcome } from '../events/line.ts';
import type { PreparedLine } from '../events/prepared.ts';
import type { Decider, Finding, Side, Target } from '../policy/decider.ts';
import type { Sensor } from '../sensor.ts';
import type { ToolPins } from '../../../../src/policy/mcp/pins.ts';
import { denialError } from '../../../../src/policy/mcp/denial.ts';
import { Tasks } from '../../../../src/policy/mcp/tasks.ts';
import { connectOf, ServerIdentity } from './identity.ts';
import { serverPins, toolPins } from './pins.ts';
import { prepareAnswered, reportFinding, type Scene } from './report.ts';
import type { Pending } from './pending.ts';
import type { Transport } from './wire.ts';

/** A refusal as it goes into a JSON-RPC answer. */
export type Refusal = ReturnType<typeof denialError>;

/** Resources of one conversation that are remembered. */
const MAX_READ = 1024;

/** Kinds of events of one conversation that are kept encoded. */
const MAX_LINES = 1024;

/** What is known of one transport and the two that talk over it. */
export class Conversation {
  readonly sensor: Sensor;
  readonly identity: ServerIdentity;
  readonly #transport: Transport;
  readonly #medium: string;
  readonly #lines = new Map<object | string, { readonly method: string; readonly line: PreparedLine | undefined }>();
  readonly #pins = toolPins();
  #name: string | undefined;
  #session: string | undefined;

  constructor(sensor: Sensor, owner: unknown, transport: Transport) {
    this.sensor = sensor;
    this.identity = new ServerIdentity(owner);
    this.#transport = transport;
    this.#medium = connectOf(transport)?.transport ?? mediumOf(transport);
  }

  /** What tools were when they were listed first: in this conversation, or where there are none, by this server. */
  get pins(): ToolPins {
    const { name, role } = this.identity;
    const lasts = this.#medium !== 'http' || this.#transport.sessionId !== undefined || role === 'client';
    return lasts || name === undefined ? this.#pins : serverPins(this.sensor, name);
  }

  scene(side: Side): Scene {
    return { side, server: this.identity.name, transport: this.#medium, session: this.#transport.sessionId };
  }

  /** Calls whose results are fetched later. */
  readonly tasks = new Tasks<Target>();

  /** Resources that this program has read as a client; the SDK may keep them (`ttlMs`). */
  readonly read = new Set<string>();

  /** Remembers a resource that was read. */
  learnRead(target: Target): void {
    if (target.kind === 'resources' && target.side === 'client' && this.read.size < MAX_READ)
      this.read.add(target.name);
  }

  /** Tells of a request that was answered; `lengths`: entries of its list before and after filtering. */
  answered(one: Pending, outcome: Outcome, lengths?: readonly [number, number]): void {
    const line = this.#lineOf(one);
    if (line === undefined) return;
    const listed = lengths === undefined ? '' : `,"listed":${lengths[1]},"hidden":${lengths[0] - lengths[1]}`;
    this.sensor.events.emitPrepared(line, outcome, Math.max(0, Date.now() - one.since), listed);
  }

  /** Encoded once for as long as server and session are the same. */
  #lineOf(one: Pending): PreparedLine | undefined {
    const { name } = this.identity;
    const { sessionId } = this.#transport;
    if (this.#name !== name || this.#session !== sessionId || this.#lines.size > MAX_LINES) this.#lines.clear();
    this.#name = name;
    this.#session = sessionId;
    const key = one.target ?? `${one.side} ${one.method}`;
    const known = this.#lines.get(key);
    if (known?.method === one.method) return known.line;
    const line = prepareAnswered(this.sensor.events, this.scene(one.side), one);
    this.#lines.set(key, { method: one.method, line });
    return line;
  }

  /** Tells of `finding` and makes the refusal of it, where it blocks. */
  found(method: string, target: Target | undefined, finding: Finding, side: Side): Refusal | undefined {
    const id = reportFinding(this.sensor, this.scene(side), { method, target, finding });
    return finding.action === 'blocked' ? denialError(finding, this.sensor.policyId(), id) : undefined;
  }

  /** What is refused when the sensor itself failed (invariant 5: `on_error`). */
  failed(decider: Decider, method: string, side: Side, error: unknown): Refusal | undefined {
    this.sensor.report(`mcp ${method}`, error);
    if (!decider.failsClosed(side)) return undefined;
    const finding: Finding = {
      rule: '/js_sensor/mcp',
      mode: 'enforce',
      action: 'blocked',
      message: `The request ${method} could not be judged and was refused.`,
      advice: 'Do not retry; the policy sensor reported an internal error.',
    };
    return this.found(method, undefined, finding, side);
  }
}

/** What a transport of a server is, by the fields that only it has. */
function mediumOf(transport: object): string {
  if ('_stdin' in transport || '_stdout' in transport) return 'stdio';
  if ('_otherTransport' in transport || '_messageQueue' in transport) return 'memory';
  if ('_sseResponse' in transport) return 'sse';
  return 'http';
}
