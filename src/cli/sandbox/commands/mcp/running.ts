import { UcpError } from '../../../../core/errors.ts';
import type { SandboxStatus } from '../../../../core/protocol.ts';
import { ServerStore } from '../../../../sandbox/servers/store.ts';
import { logs, type LogsOptions } from '../logs.ts';
import { ps } from '../ps.ts';
import type { Session } from '../session.ts';

/** The sandboxes of a named server, one for each client, oldest first. Throws SERVER_UNKNOWN. */
async function sandboxesOf({ host, client }: Session, name: string): Promise<readonly SandboxStatus[]> {
  const { sandboxes } = await client.call('list', { all: true });
  const running = sandboxes
    .filter((one) => isOf(one.name, name))
    .toSorted((a, b) => a.createdAt.localeCompare(b.createdAt));
  // What still runs of a definition that is gone can be looked at and ended.
  if (running.length === 0) new ServerStore(host.env, host.home).read(name);
  return running;
}

/** `mcp run` names each sandbox after its server and eight digits. */
function isOf(sandbox: string, server: string): boolean {
  return sandbox.startsWith(`${server}-`) && /^[0-9a-f]{8}$/.test(sandbox.slice(server.length + 1));
}

/** `mcp ps`: the sandboxes of named servers; of all of them where none is named. */
export async function mcpPs(session: Session, names: readonly string[]): Promise<void> {
  const store = new ServerStore(session.host.env, session.host.home);
  const chosen = names.length === 0 ? store.names() : names;
  const lists = await Promise.all(chosen.map(async (name) => sandboxesOf(session, name)));
  const ids = new Set(lists.flat().map(({ sandboxId }) => sandboxId));
  await ps(session, { all: true }, ({ sandboxId }) => ids.has(sandboxId));
}

/** `mcp stop`: ends every sandbox of these servers; their clients see the end of the server. */
export async function mcpStop(session: Session, names: readonly string[]): Promise<void> {
  const lists = await Promise.all(names.map(async (name) => sandboxesOf(session, name)));
  const sandboxes = lists.flat();
  await Promise.all(
    sandboxes.map(async ({ sandboxId, name }) => {
      await session.client.call('stop', { sandbox: sandboxId, grace: 0, remove: true });
      await session.client.call('settled', { name });
    }),
  );
  const done = sandboxes.map(({ name }) => name);
  session.output.answer(done, () => (done.length === 0 ? 'No client runs it now.' : done.join('\n')));
}

/** `mcp logs`: what the newest sandbox of a server says, protocol on stdout and the rest on stderr. Throws SERVER_STOPPED. */
export async function mcpLogs(session: Session, name: string, options: LogsOptions): Promise<void> {
  const newest = (await sandboxesOf(session, name)).findLast(({ state }) => state === 'running');
  if (newest === undefined) {
    throw new UcpError(
      'SERVER_STOPPED',
      `No client runs ${name} now, and a stdio server leaves no log behind: see \`ucpd logs\` for its events.`,
    );
  }
  await logs(session, newest.sandboxId, options);
}
