/**
 * After a policy update, tells both ends of each conversation that lists have changed: clients may cache them
 * (`ttlMs`), and people look at them.
 * Can't reach: modern clients over HTTP from the server's side (there is no stream to send on).
 */
import type { Sensor } from '../sensor.ts';
import type { Taps } from './start-hook.ts';
import type { Tap } from './transport.ts';
import type { WireMessage } from './wire.ts';

const CHANGED: readonly WireMessage[] = ['tools', 'resources', 'prompts'].map((kind) => ({
  jsonrpc: '2.0',
  method: `notifications/${kind}/list_changed`,
}));

/** Announces to every conversation of this thread that its lists are no longer what they were. */
export function announceLists(sensor: Sensor, taps: Taps): void {
  taps.each((tap) => {
    const { role, kinds } = tap.conversation.identity;
    if (role === 'client') forgetRead(sensor, tap);
    for (const message of CHANGED) {
      const kind = (message.method ?? '').split('/')[1] ?? '';
      if (!kinds.has(kind)) continue;
      if (role === 'client') tap.feed({ ...message });
      else tap.push({ ...message }).catch((error: unknown) => sensor.report('list_changed', error));
    }
  });
}

/** Has the client drop what it keeps of resources that it may no longer read. */
function forgetRead(sensor: Sensor, tap: Tap): void {
  const { read, identity } = tap.conversation;
  for (const uri of read) {
    const known = sensor.decider()?.about('client', 'resources', identity.name, uri);
    if (known?.finding?.action !== 'blocked') continue;
    read.delete(uri);
    tap.feed({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } });
  }
}
