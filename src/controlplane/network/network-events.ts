import type { NewEvent, PolicyRef, SandboxRef } from '../../core/events.ts';
import type { JsonObject } from '../../core/json.ts';

const SCOPE = 'ucp.net';

/** Whose event it is, and the configuration that spoke. */
export interface NetworkEventContext {
  readonly sandbox: SandboxRef;
  readonly policy: PolicyRef;
  readonly config: string;
  /** JSON pointer of the configuration. */
  readonly at: string;
  readonly mode: 'observe' | 'enforce';
  nameOf(address: string): string | undefined;
}

/** Why a connection was refused, by the last word of the log prefix. */
const REASONS: Readonly<Record<string, string>> = {
  host: 'which is the host of the sandbox and closed unless named',
  closed: 'which is in a range that is closed unless named',
  rule: 'which is in no egress rule',
  resolver: "which is the engine's own resolver: names are asked at port 53",
  in: 'which no ingress rule lets in',
};

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const number = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** The event of a packet that the rules logged; undefined for a prefix that is none of ours. */
export function packetEvent(said: JsonObject, context: NetworkEventContext): NewEvent | undefined {
  const [, verdict, reason] = /^ucp:(allow|deny|observe):([a-z]+)$/.exec(text(said['prefix']).trim()) ?? [];
  if (verdict === undefined || reason === undefined) return undefined;
  const inward = reason === 'in';
  const peer = text(inward ? said['source'] : said['destination']);
  const port = number(said['destinationPort']);
  const protocol = protocolName(said['protocol']);
  const name = inward ? undefined : context.nameOf(peer);
  const target = `${name === undefined ? '' : `${name}, `}${peer.includes(':') ? `[${peer}]` : peer}`;
  const what = inward ? `a connection from ${peer} to port ${port}/${protocol}` : `a connection to ${target}:${port}/${protocol}`;
  const common = {
    domain: 'network',
    scope: SCOPE,
    sandbox: context.sandbox,
    policy: context.policy,
    attributes: {
      'network.transport': protocol,
      ...(inward ? { 'client.address': peer } : { 'server.address': name ?? peer }),
      ...(inward ? {} : { 'server.port': port }),
    },
    body: {
      config: context.config,
      direction: inward ? 'in' : 'out',
      address: peer,
      port,
      protocol,
      name: name ?? null,
      uid: typeof said['uid'] === 'number' ? said['uid'] : null,
      count: number(said['count']) || 1,
    },
  } as const;
  if (verdict === 'allow') return { ...common, name: 'network_connect', severity: 'INFO', class: 'normal' };
  const blocked = verdict === 'deny';
  return {
    ...common,
    name: 'network_violation',
    severity: blocked ? 'ERROR' : 'WARN',
    class: 'critical',
    body: { ...common.body, reason },
    violation: {
      rule: `${context.at}/${inward ? 'ingress' : 'egress'}`,
      mode: context.mode,
      action: blocked ? 'blocked' : 'allowed',
      message: `${what}, ${REASONS[reason] ?? 'which broke a rule'}, was ${blocked ? 'refused' : 'let through: the policy observes'}`,
    },
  };
}

/** A DNS question that was refused. */
export interface RefusedQuestion {
  readonly name: string;
  readonly type: string;
  /** One sentence. */
  readonly why: string;
}

/** The event of DNS questions that the rules refuse, `count` of them alike. */
export function questionEvent(asked: RefusedQuestion, count: number, context: NetworkEventContext): NewEvent {
  const blocked = context.mode === 'enforce';
  return {
    name: 'network_violation',
    domain: 'network',
    severity: blocked ? 'ERROR' : 'WARN',
    class: 'critical',
    scope: SCOPE,
    sandbox: context.sandbox,
    policy: context.policy,
    attributes: { 'dns.question.name': asked.name },
    body: {
      config: context.config,
      direction: 'out',
      address: null,
      port: 53,
      protocol: 'dns',
      name: asked.name,
      type: asked.type,
      uid: null,
      count,
      reason: 'name',
    },
    violation: {
      rule: `${context.at}/egress`,
      mode: context.mode,
      action: blocked ? 'blocked' : 'allowed',
      message: asked.why,
    },
  };
}

/** Packets that the rules logged and nobody told of. */
export function packetLossEvent(said: JsonObject, sandbox: SandboxRef): NewEvent {
  return {
    name: 'sensor_events_lost',
    domain: 'telemetry',
    severity: 'WARN',
    class: 'critical',
    scope: SCOPE,
    sandbox,
    body: { lost: number(said['count']) },
  };
}

const PROTOCOLS: Readonly<Record<number, string>> = { 1: 'icmp', 6: 'tcp', 17: 'udp', 58: 'icmpv6' };

function protocolName(value: unknown): string {
  if (typeof value === 'string') return value;
  return PROTOCOLS[number(value)] ?? String(number(value));
}
