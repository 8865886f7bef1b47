import type { EventDomain, Severity, ViolationRef } from './events.ts';
import type { JsonObject } from './json.ts';

/**
 * What an app sensor writes to `$UCP_SENSOR_SOCKET`: one JSON object per line. The sandbox is the socket's, whatever
 * the line says; the control plane adds sandbox, container and policy.
 */
export interface SensorLine {
  readonly v: 1;
  /** Unique id of the event; the control plane drops a second line with the same id. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** `mcp_tool_call`, `mcp_violation`, `process_spawn`, `llm_request`, `sensor_started`, `sensor_error`, … */
  readonly name: string;
  readonly domain: EventDomain;
  readonly severity: Severity;
  /** `js_sensor`, `python_sensor`, `langchain`, …: becomes the OTLP scope. */
  readonly scope: string;
  readonly body: JsonObject;
  readonly attributes?: JsonObject;
  readonly violation?: ViolationRef;
  /** Generation of the policy that decided. */
  readonly generation: number;
  /** The process, of a sensor outside of a sandbox: a claim. */
  readonly pid?: number;
  /** Events that this sensor lost since its last line, if any (invariant 4). */
  readonly lost?: number;
}

/** Environment of a sensor. */
export const SENSOR_ENV = {
  /** Path of the policy file: SensorPolicyFile as JSON, replaced atomically (write + rename). */
  policyFile: 'UCP_POLICY_FILE',
  /** Unix stream socket that takes {@link SensorLine}s. */
  socket: 'UCP_SENSOR_SOCKET',
  /** `1`: a sensor that finds no policy ends the program instead of staying silent. */
  require: 'UCP_REQUIRE',
  sandboxId: 'UCP_SANDBOX_ID',
} as const;

/** The file at `$UCP_POLICY_FILE`. */
export interface SensorPolicyFile {
  readonly format: 1;
  readonly generation: number;
  readonly policy_id: string;
  readonly version: number;
  readonly digest: string;
  /** Canonical policy document, reduced to the sections that app sensors read; see src/policy. */
  readonly policy: JsonObject;
  /**
   * Every rule of the sections that a sensor would need a compiler for: `regex` (linear-time programs by source text),
   * `builtin` (the pattern sets by name), `globs` (anchored regex sources by glob); see src/policy/sensor-file/programs.ts.
   */
  readonly programs: JsonObject;
}
