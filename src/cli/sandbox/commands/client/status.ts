import { resolve } from 'node:path';

import { toUcpError } from '../../../../core/errors.ts';
import type { JsonObject } from '../../../../core/json.ts';
import { type Client, CLIENTS, isSandboxed, sandboxedServer } from '../../../../sandbox/clients/catalog.ts';
import { ClientFile } from '../../../../sandbox/clients/client-file.ts';
import { ServerStore } from '../../../../sandbox/servers/store.ts';
import type { CliHost } from '../../host.ts';
import { columns } from '../../columns.ts';
import type { Local } from '../local.ts';
import { clientNamed } from './choice.ts';

/** One server of one file, or a file that can't be read. */
interface Row {
  readonly client: string;
  readonly scope: 'user' | 'project';
  readonly file: string;
  readonly server: string;
  /** `direct`: the client starts it with all rights of the user; `remote`: it runs elsewhere; `undefined`: its definition is gone. */
  readonly state: 'sandboxed' | 'direct' | 'remote' | 'undefined' | 'invalid';
  readonly reason?: string;
}

/** `client status`: every server that clients know, and which of them run in a sandbox. */
export function status({ host, output }: Local, names: readonly string[]): void {
  const rows = statusRows(host, names.length === 0 ? CLIENTS : names.map(clientNamed));
  output.answer(rows, () =>
    rows.length === 0
      ? 'No client has a server.'
      : columns(
          ['CLIENT', 'SCOPE', 'SERVER', 'STATE', 'FILE'],
          rows.map(({ client, scope, server, state, file, reason }) => [client, scope, server, state, reason ?? file]),
        ),
  );
}

/** What these clients have, in the user's files and in those of the current directory. */
export function statusRows(host: CliHost, clients: readonly Client[]): readonly Row[] {
  const defined = new Set(new ServerStore(host.env, host.home).names());
  return clients.flatMap((client) => [
    ...rowsOf(host, client, 'user', client.user(host), defined),
    ...(client.project === undefined ? [] : rowsOf(host, client, 'project', resolve(client.project), defined)),
  ]);
}

function rowsOf(
  host: CliHost,
  client: Client,
  scope: Row['scope'],
  path: string,
  defined: ReadonlySet<string>,
): readonly Row[] {
  const place = { client: client.id, scope, file: path };
  try {
    const entries = new ClientFile(client, path, host).entries() ?? {};
    return Object.entries(entries).map(([server, entry]) => ({ ...place, server, state: stateOf(entry, defined) }));
  } catch (thrown) {
    return [{ ...place, server: '', state: 'invalid', reason: toUcpError(thrown).message }];
  }
}

function stateOf(entry: JsonObject, defined: ReadonlySet<string>): Row['state'] {
  const named = sandboxedServer(entry);
  if (named !== undefined) return defined.has(named) ? 'sandboxed' : 'undefined';
  if (isSandboxed(entry)) return 'sandboxed';
  return entry['command'] === undefined ? 'remote' : 'direct';
}
