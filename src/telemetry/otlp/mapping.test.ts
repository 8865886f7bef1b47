import { describe, expect, test } from 'vitest';

import { decodeRequest } from '../../../test/fakes/otlp-receiver-decode.ts';
import type { NewEvent } from '../../core/events.ts';
import { parseStored, storedLine, type StoredEvent } from '../event/stored-event.ts';
import { createEncoder } from './encoder.ts';

const ORIGIN = { hostId: 'h', boot: 'boot-2', version: 'V26.11.0' };

function stored(event: Partial<NewEvent>, boot = 'boot-2', seq = 1): StoredEvent {
  const complete = { name: 'n', domain: 'mcp', severity: 'INFO', scope: 's', body: {}, ...event } as const;
  const found = parseStored(storedLine(complete, { id: `id-${seq}`, now: 2000, boot, seq }));
  if (found === undefined) throw new Error('not stored');
  return found;
}

const decoded = (...events: readonly StoredEvent[]): ReturnType<typeof decodeRequest> =>
  decodeRequest(createEncoder(ORIGIN).encode(events));

describe('an event on the wire', () => {
  test('has the envelope of specification 6.1, decoded by the official definitions', () => {
    const [record] = decoded(
      stored({
        name: 'mcp_violation',
        severity: 'ERROR',
        time: 1500.25,
        scope: 'js_sensor',
        body: {
          method: 'tools/call',
          tool: 'write_file',
          note: null,
          n: 2 ** 40,
          ratio: 0.5,
          list: [1, 'a', true, {}],
        },
        attributes: { 'gen_ai.tool.name': 'kept', event_name: 'not yours' },
        sandbox: { sandbox_id: 'sb', name: 'web', container_id: 'c' },
        policy: { policy_id: 'p', version: 3, digest: 'sha256:0', generation: 7 },
        violation: { rule: '/js_sensor/mcp', mode: 'enforce', action: 'blocked', message: 'no' },
      }),
    );
    expect(record).toEqual({
      eventName: 'mcp_violation',
      severityText: 'ERROR',
      severityNumber: 17,
      time: 1500,
      observed: 2000,
      body: { method: 'tools/call', tool: 'write_file', note: null, n: 2 ** 40, ratio: 0.5, list: [1, 'a', true, {}] },
      attributes: {
        'mcp.method.name': 'tools/call',
        'gen_ai.tool.name': 'kept',
        'ucp.sandbox.id': 'sb',
        'ucp.sandbox.name': 'web',
        'container.id': 'c',
        'ucp.policy.id': 'p',
        'ucp.policy.version': 3,
        'ucp.policy.generation': 7,
        'ucp.policy.digest': 'sha256:0',
        'ucp.violation.rule': '/js_sensor/mcp',
        'ucp.violation.mode': 'enforce',
        'ucp.violation.action': 'blocked',
        'ucp.violation.message': 'no',
        'security_rule.name': '/js_sensor/mcp',
        'security_rule.ruleset.name': 'p',
        'security_rule.version': '3',
        event_name: 'mcp_violation',
        domain: 'mcp',
        hostid: 'h',
        'log.record.uid': 'id-1',
        'ucp.class': 'critical',
        'ucp.boot': 'boot-2',
        'ucp.seq': 1,
      },
      resource: {
        'service.name': 'ucp',
        'service.version': 'V26.11.0',
        'service.instance.id': 'boot-2',
        'host.id': 'h',
      },
      scope: { name: 'js_sensor', version: 'V26.11.0' },
      schemaUrl: 'https://opentelemetry.io/schemas/1.41.0',
    });
  });

  test.each([
    ['INFO', 9],
    ['WARN', 13],
    ['ERROR', 17],
  ] as const)('%s is severity number %d', (severity, number) => {
    expect(decoded(stored({ severity }))[0]).toMatchObject({ severityText: severity, severityNumber: number });
  });

  test('keeps its place among events of other components and other starts', () => {
    const events = ['a', 'b', 'a', 'a', 'b'].map((scope, k) => stored({ scope }, k < 2 ? 'boot-1' : 'boot-2', k + 1));
    const records = decoded(...events);
    expect(records.map(({ scope }) => scope.name)).toEqual(['a', 'b', 'a', 'a', 'b']);
    expect(records.map(({ attributes }) => attributes['ucp.seq'])).toEqual([1, 2, 3, 4, 5]);
    expect(records.map(({ resource }) => resource['service.instance.id'])).toEqual(
      [1, 1, 2, 2, 2].map((start) => `boot-${start}`),
    );
  });
});
