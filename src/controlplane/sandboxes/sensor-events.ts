import type { EventSink, NewEvent, SandboxRef } from '../../core/events.ts';
import type { SensorLine } from '../../core/sensor-protocol.ts';
import type { JsonObject } from '../../core/json.ts';
import { lossEvent } from '../loss-event.ts';
import type { LoadedPolicy } from '../policy/loaded-policy.ts';
import type { SensorListener } from './sensor-endpoint.ts';

/** Whose sensors speak: a sandbox, whose socket it is, or (undefined) some program of the host. */
export interface Speaker {
  readonly sandbox: SandboxRef | undefined;
  /** The policy in force there. */
  policy(): LoadedPolicy | undefined;
}

/**
 * Turns what sensors say into events: identity and policy are the speaker's, whatever the line claims. What a sensor
 * lost, and what could not be read, becomes an event too (invariant 4).
 */
export function forwardSensors(speaker: Speaker, events: EventSink): SensorListener {
  return {
    line: (line) => {
      events.emit(sensorEvent(speaker, line));
      if (line.lost !== undefined && line.lost > 0) {
        events.emit(lossEvent(line.scope, identity(speaker, line.pid), { lost: line.lost }));
      }
    },
    rejected: (total) => {
      // At 1, 2, 4, 8 …: a sandbox that writes rubbish must not fill the log with our complaints.
      if (Number.isInteger(Math.log2(total))) events.emit(rejectedEvent(speaker, total));
    },
  };
}

/** A program of the host is who it says it is, and so the event says. */
function identity({ sandbox }: Speaker, pid?: number): Pick<NewEvent, 'sandbox' | 'attributes'> {
  if (sandbox !== undefined) return { sandbox };
  return { attributes: { 'ucp.identity': 'claimed', ...(pid === undefined ? {} : { 'process.pid': pid }) } };
}

function sensorEvent(speaker: Speaker, line: SensorLine): NewEvent {
  const policy = speaker.policy();
  const { attributes: who, ...from } = identity(speaker, line.pid);
  const attributes: JsonObject = { ...line.attributes, ...who };
  return {
    id: line.id,
    time: line.time,
    name: line.name,
    domain: line.domain,
    severity: line.severity,
    class: line.violation === undefined ? 'normal' : 'critical',
    scope: line.scope,
    body: line.body,
    ...(Object.keys(attributes).length === 0 ? {} : { attributes }),
    ...(line.violation === undefined ? {} : { violation: line.violation }),
    ...from,
    // The generation that decided is the sensor's to say: it may lag behind an update that is on its way to it.
    ...(policy === undefined ? {} : { policy: { ...policy.ref, generation: line.generation } }),
  };
}

function rejectedEvent(speaker: Speaker, total: number): NewEvent {
  return {
    name: 'sensor_lines_rejected',
    domain: 'telemetry',
    severity: 'WARN',
    class: 'critical',
    scope: 'ucp.controlplane.sandboxes',
    ...identity(speaker),
    body: { rejected: total },
  };
}
