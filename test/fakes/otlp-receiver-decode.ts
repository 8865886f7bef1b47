// OpenTelemetry's own protobuf definitions, compiled; later releases of the package encode by hand and cannot decode.
import root from 'opentelemetry-protobuf/build/src/generated/root.js';

/** A log record as a receiver sees it, with plain values. */
export interface ReceivedRecord {
  readonly eventName: string;
  readonly severityText: string;
  readonly severityNumber: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly observed: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly scope: { readonly name: string; readonly version: string };
  readonly schemaUrl: string;
}

interface AnyValue {
  stringValue?: string;
  boolValue?: boolean;
  intValue?: string;
  doubleValue?: number;
  bytesValue?: Uint8Array;
  arrayValue?: { values?: AnyValue[] };
  kvlistValue?: { values?: KeyValue[] };
}
interface KeyValue {
  key: string;
  value?: AnyValue;
}
interface LogRecord {
  timeUnixNano: string;
  observedTimeUnixNano: string;
  severityNumber: number;
  severityText: string;
  eventName: string;
  body?: AnyValue;
  attributes?: KeyValue[];
}
interface Request {
  resourceLogs?: {
    resource?: { attributes?: KeyValue[] };
    scopeLogs?: { scope?: { name: string; version: string }; schemaUrl: string; logRecords?: LogRecord[] }[];
  }[];
}

/** A compiled message, as far as this file uses one. */
interface Message {
  decode(bytes: Uint8Array): object;
  toObject(message: object, options: object): unknown;
  encode(message: object): { finish(): Uint8Array };
}
interface Definitions {
  readonly opentelemetry: {
    readonly proto: {
      readonly collector: {
        readonly logs: {
          readonly v1: Readonly<Record<'ExportLogsServiceRequest' | 'ExportLogsServiceResponse', Message>>;
        };
      };
    };
  };
}
const { ExportLogsServiceRequest: requestType, ExportLogsServiceResponse: responseType } = (
  root as unknown as Definitions
).opentelemetry.proto.collector.logs.v1;

/** Records of an ExportLogsServiceRequest; throws where the bytes aren't one. */
export function decodeRequest(bytes: Uint8Array): readonly ReceivedRecord[] {
  const message = requestType.decode(bytes);
  const request = requestType.toObject(message, { longs: String, defaults: true, oneofs: false }) as Request;
  return (request.resourceLogs ?? []).flatMap(({ resource, scopeLogs = [] }) => {
    const attributes = plainMap(resource?.attributes);
    return scopeLogs.flatMap(({ scope, schemaUrl, logRecords = [] }) =>
      logRecords.map((record) => ({
        eventName: record.eventName,
        severityText: record.severityText,
        severityNumber: record.severityNumber,
        time: Number(BigInt(record.timeUnixNano) / 1_000_000n),
        observed: Number(BigInt(record.observedTimeUnixNano) / 1_000_000n),
        attributes: plainMap(record.attributes),
        body: record.body === undefined ? undefined : plain(record.body),
        resource: attributes,
        scope: { name: scope?.name ?? '', version: scope?.version ?? '' },
        schemaUrl,
      })),
    );
  });
}

/** An ExportLogsServiceResponse, with partial_success where given. */
export function encodeResponse(partial?: { readonly rejected: number; readonly message: string }): Uint8Array {
  return responseType
    .encode(
      partial === undefined
        ? {}
        : { partialSuccess: { rejectedLogRecords: partial.rejected, errorMessage: partial.message } },
    )
    .finish();
}

function plainMap(pairs: readonly KeyValue[] = []): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, value === undefined ? null : plain(value)]));
}

function plain(value: AnyValue): unknown {
  if (value.stringValue !== undefined) return value.stringValue;
  if (value.intValue !== undefined) return Number(value.intValue);
  if (value.kvlistValue !== undefined) return plainMap(value.kvlistValue.values);
  if (value.arrayValue !== undefined) return (value.arrayValue.values ?? []).map(plain);
  return value.boolValue ?? value.doubleValue ?? value.bytesValue ?? null;
}
