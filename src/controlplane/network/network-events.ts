import type { NewEvent, PolicyRef, SandboxRef } from '../../core/events.ts';
import type { JsonObject } from '../../core/json.ts';
import type { LoggedPacket } from './packet.ts';
import { lossEvent } from '../loss-event.ts';

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
  /** JSON pointer of the rule that lets a connection out; undefined where it can't be told any more. */
  readonly ruleOf: (address: string, port: number, protocol: string) => string | undefined;
}

/** Why a connection was refused, by the last word of the log prefix. */
const REASONS: Readonly<Record<string, string>> = {
  host: 'which is the host of the sandbox and closed unless named',
  closed: 'which is in a range that is closed unless named',
  rule: 'which is in no egress rule',
  resolver: "which is the engine's own resolver: names are asked at port 53",
  in: 'which no ingress rule lets in',
};

/** The event of a packet that the rules logged. */
export function packetEvent(packet: LoggedPacket, context: NetworkEventContext): NewEvent {
  const { verdict, reason, inward, peer, port, protocol, uid, count } = packet;
  const name = inward ? undefined : context.nameOf(peer);
  const ends: JsonObject = inward
    ? { 'client.address': peer }
    : { 'server.address': name ?? peer, 'server.port': port };
  const direction = inward ? 'in' : 'out';
  const { config } = context;
  const body = { config, direction, address: peer, port, protocol, name: name ?? null, uid, count };
  const common = {
    domain: 'network',
    scope: SCOPE,
    sandbox: context.sandbox,
    policy: context.policy,
    attributes: { 'network.transport': protocol, ...ends },
  } as const;
  if (verdict === 'allow') {
    const allowed = { ...body, rule: allowedBy(packet, context) };
    return { name: 'network_connect', ...common, severity: 'INFO', class: 'normal', body: allowed };
  }
  const blocked = verdict === 'deny';
  return {
    name: 'network_violation',
    ...common,
    severity: blocked ? 'ERROR' : 'WARN',
    class: 'critical',
    body: { ...body, reason },
    violation: {
      rule: `${context.at}/${inward ? 'ingress' : 'egress'}`,
      mode: context.mode,
      action: blocked ? 'blocked' : 'allowed',
      message: `${described(packet, name)}, ${REASONS[reason] ?? 'which broke a rule'}, was ${blocked ? 'refused' : 'let through: the policy observes'}`,
    },
  };
}

/** The rule of a connection; one of those for who comes in can't always be told: the engine shows many sources as one. */
function allowedBy({ inward, peer, port, protocol }: LoggedPacket, { at, ruleOf }: NetworkEventContext): string {
  if (inward) return `${at}/ingress`;
  return ruleOf(peer, port, protocol) ?? `${at}/egress`;
}

function described({ inward, peer, port, protocol }: LoggedPacket, name: string | undefined): string {
  if (inward) return `a connection from ${peer} to port ${port}/${protocol}`;
  const target = `${name === undefined ? '' : `${name}, `}${peer.includes(':') ? `[${peer}]` : peer}`;
  return `a connection to ${target}:${port}/${protocol}`;
}

/** A DNS question that was refused. */
export interface RefusedQuestion {
  readonly name: string;
  readonly type: string;
  /** One sentence. */
  readonly why: string;
}

/** The event of DNS questions that the rules refuse, `count` of them alike. */
export function questionEvent(
  asked: RefusedQuestion,
  count: number,
  context: Omit<NetworkEventContext, 'nameOf' | 'ruleOf'>,
): NewEvent {
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

/** Rules that are only to be observed are not: the workload runs without them. */
export function unobservedEvent(cause: string, context: Omit<NetworkEventContext, 'nameOf' | 'ruleOf'>): NewEvent {
  const { sandbox, policy, config } = context;
  return {
    name: 'network_unobserved',
    domain: 'network',
    severity: 'WARN',
    class: 'critical',
    scope: SCOPE,
    sandbox,
    policy,
    body: { config, cause },
  };
}

/** Packets that the rules logged and nobody told of. */
export function packetLossEvent(lost: number, sandbox: SandboxRef): NewEvent {
  return lossEvent(SCOPE, { sandbox }, { lost });
}
