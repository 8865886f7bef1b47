import { ProtobufLogsSerializer, type IExportLogsServiceResponse } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';

import type { StoredEvent } from '../event/stored-event.ts';
import { resourceAttributes, scopeOf, toRecord, type Origin } from './mapping.ts';

/** Events → bytes of an ExportLogsServiceRequest, and back from the bytes of its response. */
export interface Encoder {
  encode(events: readonly StoredEvent[]): Uint8Array;
  /** Throws where the bytes aren't a response. */
  decodeResponse(bytes: Uint8Array): IExportLogsServiceResponse;
}

const NOTHING = new Uint8Array();

/**
 * An encoder for events of this host. This file loads OpenTelemetry's packages (tens of milliseconds unbundled):
 * import it only when there is something to export.
 */
export function createEncoder(origin: Origin): Encoder {
  return {
    encode: (events) => ProtobufLogsSerializer.serializeRequest(records(events, origin)) ?? NOTHING,
    decodeResponse: (bytes) => ProtobufLogsSerializer.deserializeResponse(bytes),
  };
}

/**
 * The serializer groups by the identity of resource and scope, in the order of their first record. So neighbours
 * share these objects and others don't: the order on the wire is the order of the events.
 */
function records(events: readonly StoredEvent[], origin: Origin): ReadableLogRecord[] {
  let boot: string | undefined;
  let resource = resourceFromAttributes({});
  let scope = scopeOf('', origin.version);
  return events.map((event) => {
    if (event.boot !== boot) {
      // An event of an earlier start keeps that start's resource.
      boot = event.boot;
      resource = resourceFromAttributes(resourceAttributes({ ...origin, boot }));
    }
    if (event.scope !== scope.name) scope = scopeOf(event.scope, origin.version);
    return { ...toRecord(event, origin), resource, instrumentationScope: scope };
  });
}
