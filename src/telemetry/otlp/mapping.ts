import { SeverityNumber, type Attributes } from '@opentelemetry/api';
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';

import type { EventDomain, Severity, UcpEvent } from '../../core/events.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { StoredEvent } from '../event/stored-event.ts';

/**
 * The one place where names on the wire are decided: UCP event → OTLP log record. OpenTelemetry's MCP, GenAI and
 * security_rule conventions are in development; when they change, this file and MAPPING_VERSION do.
 */
const MAPPING_VERSION = 1;

/** Conventions that the names below are of (the last release that holds MCP and GenAI beside process and network). */
const SCHEMA_URL = 'https://opentelemetry.io/schemas/1.41.0';

/** 9, 13 and 17 for the three texts of specification §6.1. */
const SEVERITY_NUMBER = {
  INFO: SeverityNumber.INFO,
  WARN: SeverityNumber.WARN,
  ERROR: SeverityNumber.ERROR,
} as const satisfies Record<Severity, SeverityNumber>;

/** Fields of `body` that are copied to an attribute, by domain, unless the maker set the attribute itself. */
const FIELDS: Partial<Record<EventDomain, Readonly<Record<string, string>>>> = {
  mcp: {
    method: 'mcp.method.name',
    session: 'mcp.session.id',
    protocol_version: 'mcp.protocol.version',
    request_id: 'jsonrpc.request.id',
    resource: 'mcp.resource.uri',
    tool: 'gen_ai.tool.name',
    prompt: 'gen_ai.prompt.name',
  },
  exec: {
    path: 'process.executable.path',
    pid: 'process.pid',
    ppid: 'process.parent_pid',
    argv: 'process.command_args',
    cwd: 'process.working_directory',
    pid_inside: 'process.vpid',
    uid: 'process.real_user.id',
    exit_code: 'process.exit.code',
    cgroup: 'process.linux.cgroup',
  },
  runtime: { pid: 'process.pid' },
  network: {
    address: 'destination.address',
    port: 'destination.port',
    host: 'server.address',
    protocol: 'network.transport',
    direction: 'network.io.direction',
    name: 'dns.question.name',
  },
  llm: { provider: 'gen_ai.provider.name', model: 'gen_ai.request.model', operation: 'gen_ai.operation.name' },
  sandbox: { image: 'container.image.name', exit_code: 'process.exit.code' },
};

/** What is the same for every record of one emitter. */
export interface Origin {
  /** `attributes.hostid` and resource `host.id`. */
  readonly hostId: string;
  readonly hostName?: string;
  /** This start of the control plane: resource `service.instance.id`. */
  readonly boot: string;
  /** `V26.11.0`: resource `service.version`. */
  readonly version: string;
}

/** Attributes of the OTLP resource. */
export function resourceAttributes(origin: Origin): Attributes {
  return {
    'service.name': 'ucp',
    'service.version': origin.version,
    'service.instance.id': origin.boot,
    'host.id': origin.hostId,
    ...(origin.hostName === undefined ? {} : { 'host.name': origin.hostName }),
  };
}

/** The OTLP scope of a component. */
export function scopeOf(name: string, version: string): ReadableLogRecord['instrumentationScope'] {
  return { name, version, schemaUrl: SCHEMA_URL, attributes: { 'ucp.mapping.version': MAPPING_VERSION } };
}

/** What of an OTLP record is the event's own; resource and scope are shared objects that the encoder adds. */
export type EventRecord = Omit<ReadableLogRecord, 'resource' | 'instrumentationScope'>;

/** The record of one event (specification §6.1). */
export function toRecord(event: StoredEvent, origin: Origin): EventRecord {
  return {
    hrTime: hrTime(event.time),
    hrTimeObserved: hrTime(event.observed),
    severityText: event.severity,
    severityNumber: SEVERITY_NUMBER[event.severity],
    body: event.body,
    eventName: event.name,
    attributes: attributesOf(event, origin),
    droppedAttributesCount: 0,
  };
}

function attributesOf(event: StoredEvent, origin: Origin): Record<string, JsonValue> {
  return {
    ...copied(event.domain, event.body),
    ...event.attributes,
    ...references(event),
    event_name: event.name,
    domain: event.domain,
    hostid: origin.hostId,
    'log.record.uid': event.id,
    'ucp.class': event.class,
    'ucp.boot': event.boot,
    'ucp.seq': event.seq,
  };
}

function copied(domain: EventDomain, body: JsonObject): Record<string, JsonValue> {
  const attributes: Record<string, JsonValue> = {};
  for (const [field, name] of Object.entries(FIELDS[domain] ?? {})) {
    const value = body[field];
    if (value !== undefined && value !== null) attributes[name] = value;
  }
  return attributes;
}

/** Sandbox, policy and violation: facts that UCP vouches for, so no attribute of the maker replaces them. */
function references({ sandbox, policy, violation }: UcpEvent): Record<string, JsonValue> {
  return {
    ...(sandbox && {
      'ucp.sandbox.id': sandbox.sandbox_id,
      ...(sandbox.name !== undefined && { 'ucp.sandbox.name': sandbox.name }),
      ...(sandbox.container_id !== undefined && { 'container.id': sandbox.container_id }),
    }),
    ...(policy && {
      'ucp.policy.id': policy.policy_id,
      'ucp.policy.version': policy.version,
      'ucp.policy.generation': policy.generation,
      'ucp.policy.digest': policy.digest,
    }),
    ...(violation && {
      'ucp.violation.rule': violation.rule,
      'ucp.violation.mode': violation.mode,
      'ucp.violation.action': violation.action,
      'ucp.violation.message': violation.message,
      'security_rule.name': violation.rule,
      ...(policy && {
        'security_rule.ruleset.name': policy.policy_id,
        'security_rule.version': String(policy.version),
      }),
    }),
  };
}

function hrTime(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}
