import { toUcpError } from '../../../../core/errors.ts';
import type { ServerDefinition } from '../../../../sandbox/servers/definition.ts';
import { ServerStore } from '../../../../sandbox/servers/store.ts';
import { columns } from '../../columns.ts';
import type { Local } from '../local.ts';

/** `mcp ls`: the user's servers; one whose file is broken is listed with the reason. */
export function list({ host, output }: Local): void {
  const store = new ServerStore(host.env, host.home);
  const servers = store.names().map((name) => readable(store, name));
  output.answer(servers, () => columns(['NAME', 'IMAGE', 'PINNED', 'TOOLS', 'SINCE'], servers.map(row)));
}

type Readable = { readonly name: string } & (ServerDefinition | { readonly problem: string });

function readable(store: ServerStore, name: string): Readable {
  try {
    return { name, ...store.read(name) };
  } catch (thrown) {
    return { name, problem: toUcpError(thrown).message };
  }
}

function row(server: Readable): readonly string[] {
  if ('problem' in server) return [server.name, server.problem];
  const { name, image, id, digest = id, tools, pinnedAt } = server;
  const pinned = digest.slice(0, 'sha256:'.length + 12);
  return [name, server.package?.spec ?? image, pinned, tools === undefined ? '?' : String(tools.length), pinnedAt];
}

/** `mcp show`: definitions in full. */
export function show({ host, output }: Local, names: readonly string[]): void {
  const store = new ServerStore(host.env, host.home);
  const shown = names.map((name) => ({ name, ...store.read(name) }));
  output.answer(shown, () => JSON.stringify(shown, null, 2));
}

/** `mcp rm`: forgets definitions; sandboxes that run go on. */
export function remove({ host, output }: Local, names: readonly string[]): void {
  const store = new ServerStore(host.env, host.home);
  for (const name of names) store.remove(name);
  output.answer(names, () => names.join('\n'));
}
