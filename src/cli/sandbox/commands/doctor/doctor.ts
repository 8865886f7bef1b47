import { existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { release } from 'node:os';

import { toUcpError } from '../../../../core/errors.ts';
import { userPaths } from '../../../../core/paths.ts';
import { createEngine } from '../../../../engine/docker-engine.ts';
import { CLIENTS } from '../../../../sandbox/clients/catalog.ts';
import type { ControlClient } from '../../../../sandbox/client/control-client.ts';
import { connectControlPlane, socketsOf } from '../../../../sandbox/client/connect.ts';
import { orReadOnly } from '../../../../sandbox/client/or-read-only.ts';
import { type Check, ok } from '../../../../sandbox/doctor/check.ts';
import { dnsCheck } from '../../../../sandbox/doctor/dns-check.ts';
import { engineChecks } from '../../../../sandbox/doctor/engine-checks.ts';
import { helperChecks } from '../../../../sandbox/doctor/helper-checks.ts';
import { hostChecks } from '../../../../sandbox/doctor/host-checks.ts';
import { policyChecks } from '../../../../sandbox/doctor/policy-checks.ts';
import { ServerStore } from '../../../../sandbox/servers/store.ts';
import { EXIT } from '../../../exit-codes.ts';
import { columns } from '../../columns.ts';
import type { CliHost } from '../../host.ts';
import { statusRows } from '../client/status.ts';
import type { Local } from '../local.ts';

/** `doctor`: looks at all that a sandbox needs; exit code 1 when something fails. */
export async function doctor({ host, output }: Local): Promise<number> {
  const checks = [
    ...(await seen(host)),
    ...(await failing('engine', 'Start the engine, or see the message.', async () => {
      const engine = createEngine(host.env, host.home);
      return engineChecks(await engine.facts(), await engine.components());
    })),
    ...(await failing('control plane', 'See the message, and `ucpd logs`.', async () => {
      const client = await orReadOnly(async () => connectControlPlane(host), socketsOf(host));
      try {
        return [...policyChecks(await client.call('status', {})), ...(await helpers(client))];
      } finally {
        client.close();
      }
    })),
    await dnsCheck(),
    ...(await servers(host)),
    ...clients(host),
  ];
  output.answer(checks, () =>
    [
      columns(
        ['STATE', 'CHECK', 'WHAT WAS FOUND'],
        checks.map(({ state, id, reason }) => [state, id, reason]),
      ),
      ...checks.flatMap(({ id, fix }) => (fix === undefined ? [] : [`→ ${id}: ${fix}`])),
    ].join('\n'),
  );
  return checks.some(({ state }) => state === 'fail') ? EXIT.failed : EXIT.ok;
}

async function seen(host: CliHost): Promise<readonly Check[]> {
  const { stateDir } = userPaths(host.env, host.home);
  const space = await statfs(stateDir).catch(() => undefined);
  return hostChecks({
    node: process.versions.node,
    kernel: release(),
    fanotify: existsSync('/proc/sys/fs/fanotify'),
    free: space === undefined ? undefined : space.bavail * space.bsize,
    stateDir,
    now: Date.now(),
    built: statSync(host.ucpd).mtimeMs,
  });
}

/** The checks, or the one failure that kept them from being made. */
async function failing(id: string, fix: string, look: () => Promise<readonly Check[]>): Promise<readonly Check[]> {
  try {
    return await look();
  } catch (thrown) {
    const { code, message } = toUcpError(thrown);
    return [{ id, state: 'fail', reason: `${code}: ${message}`, fix }];
  }
}

/** The helpers, tried by the control plane; those who may only read its state can not have that done. */
async function helpers(client: ControlClient): Promise<readonly Check[]> {
  try {
    const { helpers: tried } = await client.call('trial', {});
    return helperChecks(tried);
  } catch (thrown) {
    const { code, message } = toUcpError(thrown);
    const state = code === 'CONTROLPLANE_READ_ONLY' ? 'skip' : 'fail';
    const fix = 'See `ucpd logs`; restart the control plane if it is of an older version.';
    return [{ id: 'helpers', state, reason: message, ...(state === 'fail' ? { fix } : {}) }];
  }
}

async function servers(host: CliHost): Promise<readonly Check[]> {
  const store = new ServerStore(host.env, host.home);
  const engine = createEngine(host.env, host.home);
  const checks: Check[] = [];
  for (const name of store.names()) {
    try {
      const { id, digest } = store.read(name);
      const present = digest !== undefined || (await engine.image(id)) !== undefined;
      if (present) continue;
      const fix = `Make it again and \`ucp-sandbox mcp update ${name}\`.`;
      checks.push({ id: `server ${name}`, state: 'warn', reason: `its image ${id} is gone from this engine`, fix });
    } catch (thrown) {
      checks.push({ id: `server ${name}`, state: 'warn', reason: toUcpError(thrown).message, fix: `Define it again.` });
    }
  }
  const { length } = store.names();
  return checks.length > 0 ? checks : [ok('servers', length === 0 ? 'none defined' : `${length} defined`)];
}

/** Servers that clients start without a sandbox are what a policy never sees. */
function clients(host: CliHost): readonly Check[] {
  const reasons = {
    direct: 'is started outside any sandbox',
    undefined: 'is not defined any more',
    invalid: '',
  } as const;
  const fixes = {
    direct: 'See what `ucp-sandbox client import` would make of it.',
    undefined: 'Take it out with `ucp-sandbox client remove`, or define it again.',
    invalid: 'Correct the file.',
  } as const;
  const bad = statusRows(host, CLIENTS).flatMap(
    ({ client, server, state, file, reason }): Check[] =>
    state === 'sandboxed' || state === 'remote'
      ? []
      : [{ id: `client ${client}`, state: 'warn', reason: reason ?? `${server} ${reasons[state]} (${file})`, fix: fixes[state] }], // prettier-ignore
  );
  return bad.length > 0 ? bad : [ok('clients', 'no client starts a server outside a sandbox')];
}
