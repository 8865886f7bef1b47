import { field } from '../../../core/unknown.ts';
import type { Output } from '../../output.ts';
import { orReadOnly } from '../../../sandbox/client/or-read-only.ts';
import { requireControlPlane } from '../client.ts';
import type { UcpdHost } from '../host.ts';
import { placesToFind } from '../places.ts';

/** `ucpd status`: what runs, under which policy, and what is not in force. Throws where nothing runs. */
export async function status(host: UcpdHost, output: Output): Promise<void> {
  const sockets = placesToFind(host).map(({ socket }) => socket);
  const client = await orReadOnly(async () => (await requireControlPlane(host)).client, sockets);
  const report = await client.call('status', {});
  client.close();
  output.answer(report, () => statusText(report));
}

function statusText(report: unknown): string {
  const at = (...path: string[]): string => {
    const value = path.reduce<unknown>(field, report);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '-';
  };
  const missing = (key: string): string => {
    const list = field(field(report, 'controls'), key);
    const names = Array.isArray(list) ? list.map((entry: unknown) => String(field(entry, 'control') ?? entry)) : [];
    return names.length === 0 ? 'none' : names.join(', ');
  };
  return [
    `ucpd ${at('version')} (${at('mode')}), pid ${at('pid')}, since ${at('started_at')}`,
    `policy      ${at('policy', 'id')} version ${at('policy', 'version')}, generation ${at('policy', 'generation')} (${at('policy', 'source')})`,
    `digest      ${at('policy', 'digest')}`,
    `state       ${at('state')}, ${at('startup_state')}; last check: ${at('last_check', 'outcome')} ${at('last_check', 'at')} ${at('last_check', 'error', 'message')}`,
    `in force    ${missing('in_force')}`,
    `not observed here    ${missing('not_observed')}`,
    `not enforced here    ${missing('not_enforced')} (runs are refused)`,
    `processes   observed by ${at('process_events', 'observed_by')} in ${at('process_events', 'sandboxes')} sandboxes`,
    `sandboxes   ${at('sandboxes', 'running')} running, ${at('sandboxes', 'total')} in all`,
    `export      ${at('telemetry', 'export', 'state')}`,
    `socket      ${at('socket')}`,
    `state dir   ${at('state_dir')}`,
  ].join('\n');
}
