import { expect, test } from 'vitest';

import type { NewEvent } from '../../core/events.ts';
import { EventList } from '../testing/event-list.ts';
import { refusedConnection, withNotices } from './notices.ts';

const VIOLATION: NewEvent = {
  name: 'network_violation',
  domain: 'network',
  severity: 'ERROR',
  scope: 'ucp.net',
  sandbox: { sandbox_id: 's1' },
  body: { config: 'web', direction: 'out', address: '192.0.2.1', port: 22, protocol: 'tcp', name: null, count: 3 },
  violation: { rule: '/network/web/egress', mode: 'enforce', action: 'blocked', message: 'refused' },
};

test('a refused connection is told of with its place and what to ask', () => {
  const told: unknown[] = [];
  const events = new EventList();
  const sink = withNotices(events, (notice) => told.push(notice));
  sink.emit(VIOLATION);
  sink.emit({ ...VIOLATION, name: 'network_connect' });
  sink.emit({ ...VIOLATION, violation: { rule: '/r', mode: 'observe', action: 'allowed', message: 'm' } });
  expect(events.names).toHaveLength(3);
  expect(told).toEqual([
    {
      event: 'connection_refused',
      sandboxId: 's1',
      config: 'web',
      rule: '/network/web/egress',
      message: 'refused',
      count: 3,
      destination: '192.0.2.1:22',
    },
  ]);
});

test.each([
  [{ name: 'api.example.com' }, 'api.example.com:22'],
  [{ address: '2001:db8::1', protocol: 'udp' }, '[2001:db8::1]:22/udp'],
  [{ protocol: 'dns', name: 'evil.example', port: 53, address: null }, 'evil.example:443'],
  [{ protocol: 'dns', name: '$(id)', port: 53, address: null }, undefined],
  [{ protocol: 'icmp', port: 0 }, undefined],
  [{ direction: 'in' }, undefined],
])('%j is asked as %s', (body, destination) => {
  expect(refusedConnection({ ...VIOLATION, body: { ...VIOLATION.body, ...body } })?.destination).toBe(destination);
});
