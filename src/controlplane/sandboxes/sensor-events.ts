import type { EventSink, NewEvent } from '../../core/events.ts';
import type { SensorLine } from '../../core/sensor-protocol.ts';
import type { Sandbox } from './sandbox.ts';
import type { SensorListener } from './sensor-endpoint.ts';

/**
 * Turns what a sandbox's sensors say into events: identity and policy are the sandbox's, whatever the line claims. What
 * a sensor lost, and what could not be read, becomes an event too (invariant 4).
 */
export function forwardSensors(sandbox: Sandbox, events: EventSink): SensorListener {
  return {
    line: (line) => {
      events.emit(sensorEvent(sandbox, line));
      if (line.lost !== undefined && line.lost > 0) events.emit(lossEvent(sandbox, line.scope, line.lost));
    },
    rejected: (total) => {
      // At 1, 2, 4, 8 …: a sandbox that writes rubbish must not fill the log with our complaints.
      if (Number.isInteger(Math.log2(total))) events.emit(rejectedEvent(sandbox, total));
    },
  };
}

function sensorEvent(sandbox: Sandbox, line: SensorLine): NewEvent {
  const { policy } = sandbox;
  return {
    id: line.id,
    time: line.time,
    name: line.name,
    domain: line.domain,
    severity: line.severity,
    class: line.violation === undefined ? 'normal' : 'critical',
    scope: line.scope,
    body: line.body,
    ...(line.attributes === undefined ? {} : { attributes: line.attributes }),
    ...(line.violation === undefined ? {} : { violation: line.violation }),
    sandbox: sandbox.ref,
    // The generation that decided is the sensor's to say: it may lag behind an update that is on its way to it.
    ...(policy === undefined ? {} : { policy: { ...policy.ref, generation: line.generation } }),
  };
}

function lossEvent(sandbox: Sandbox, scope: string, lost: number): NewEvent {
  return {
    name: 'sensor_events_lost',
    domain: 'telemetry',
    severity: 'WARN',
    class: 'critical',
    scope,
    sandbox: sandbox.ref,
    body: { lost },
  };
}

function rejectedEvent(sandbox: Sandbox, total: number): NewEvent {
  return {
    name: 'sensor_lines_rejected',
    domain: 'telemetry',
    severity: 'WARN',
    class: 'critical',
    scope: 'ucp.controlplane.sandboxes',
    sandbox: sandbox.ref,
    body: { rejected: total },
  };
}
