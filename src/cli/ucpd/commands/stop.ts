import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import { UcpError } from '../../../core/errors.ts';
import { PROTOCOL_VERSION } from '../../../core/protocol.ts';
import { findControlPlane, type Found } from '../client.ts';
import type { UcpdHost } from '../host.ts';

/** How long a control plane may take to leave: removals and events under way are finished first. */
const LEAVE_MS = 15_000;

/** `ucpd stop`: the control plane leaves, sandboxes go on. True when one ran. */
export async function stop(host: UcpdHost): Promise<boolean> {
  const found = await findControlPlane(host);
  if (found === undefined) return false;
  await leave(found);
  return true;
}

async function leave({ client, paths }: Found): Promise<void> {
  const { pid } = await client.call('hello', { version: PROTOCOL_VERSION });
  await client.call('shutdown', {});
  for (const end = Date.now() + LEAVE_MS; runs(pid); await delay(10)) {
    if (Date.now() > end) {
      throw new UcpError(
        'CONTROLPLANE_UNREACHABLE',
        `The control plane at ${paths.socket} (pid ${pid}) does not leave.`,
      );
    }
  }
  client.close();
}

/** False for a process that is gone, also where nobody has collected it yet (a zombie). */
function runs(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
  } catch {
    return false;
  }
}
