import type { JsonObject } from './json.ts';

/** `attributes.domain` of an event (DESIGN §7). */
export type EventDomain =
  | 'pcm'
  | 'mcp'
  | 'exec'
  | 'network'
  | 'sandbox'
  | 'a2a'
  | 'llm'
  | 'langchain'
  | 'crewai'
  | 'runtime'
  | 'telemetry';

/** INFO for what happened, WARN for an observed violation, ERROR for a blocked one. */
export type Severity = 'INFO' | 'WARN' | 'ERROR';

/**
 * How an event may be lost: `critical` (lifecycle, violations, losses) is never evicted by `normal`
 * (observability); invariant 4.
 */
export type EventClass = 'critical' | 'normal';

/** The policy that was in force when the event happened. */
export interface PolicyRef {
  readonly policy_id: string;
  readonly version: number;
  /** `sha256:<hex>` of the exact bytes. */
  readonly digest: string;
  /** Grows by one with every activation on this host. */
  readonly generation: number;
}

/** The sandbox that an event belongs to. */
export interface SandboxRef {
  readonly sandbox_id: string;
  readonly name?: string;
  readonly container_id?: string;
}

/** Which rule was broken, and what came of it. */
export interface ViolationRef {
  /** JSON pointer (RFC 6901) into the canonical policy document. */
  readonly rule: string;
  readonly mode: 'observe' | 'enforce';
  readonly action: 'allowed' | 'blocked' | 'redacted';
  /** One line for a person. */
  readonly message: string;
}

/** One thing that happened, before it becomes an OTLP log record. */
export interface UcpEvent {
  /** Unique; survives retries, so a receiver can drop duplicates. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** `policy_lifecycle`, `sandbox_started`, `mcp_violation`, …: both OTLP `eventName` and `attributes.event_name`. */
  readonly name: string;
  readonly domain: EventDomain;
  readonly severity: Severity;
  readonly class: EventClass;
  /** Emitting component: OTLP `scope.name`. */
  readonly scope: string;
  readonly body: JsonObject;
  /** Extra attributes, named after OpenTelemetry's conventions. */
  readonly attributes?: JsonObject;
  readonly sandbox?: SandboxRef;
  readonly policy?: PolicyRef;
  readonly violation?: ViolationRef;
}

/** An event as its maker writes it: id, time and class are filled in by the emitter. */
export type NewEvent = Omit<UcpEvent, 'id' | 'time' | 'class'> & Partial<Pick<UcpEvent, 'id' | 'time' | 'class'>>;

/** Takes events; never throws and never blocks its caller. */
export interface EventSink {
  emit(event: NewEvent): void;
}
