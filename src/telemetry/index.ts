/** Telemetry's face: what other rooms may use. */
export { logDir, openTelemetry } from './telemetry.ts';
export type { Telemetry, TelemetryOptions } from './options.ts';
export { readLog } from './log/reader.ts';
export type { StoredEvent } from './event/stored-event.ts';
