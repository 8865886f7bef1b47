/** Codes of the telemetry room. */
export const telemetryErrors = {
  EVENT_URL: {
    summary: 'The address that events are exported to is not one.',
    remedy:
      'Give an http:// or https:// URL: the base of an OTLP/HTTP receiver, or the full path of its logs endpoint.',
  },
} as const;
