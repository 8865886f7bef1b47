import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import { UcpError } from '../../../../core/errors.ts';
import { type Client, CLIENTS, type Launch } from '../../../../sandbox/clients/catalog.ts';
import { ClientFile } from '../../../../sandbox/clients/client-file.ts';
import { ServerStore } from '../../../../sandbox/servers/store.ts';
import type { CliHost } from '../../host.ts';

/** Which clients, which of their files, which servers: the flags that the verbs of `client` share. */
export interface Choice {
  readonly json?: boolean;
  readonly server: readonly string[];
  readonly all: boolean;
  readonly project: boolean;
  readonly user: boolean;
}

/** The clients of these names; without names those that this user has. Throws USAGE. */
export function chosenClients(host: CliHost, names: readonly string[]): readonly Client[] {
  if (names.length > 0) return names.map(clientNamed);
  const present = CLIENTS.filter((client) => isPresent(host, client));
  if (present.length > 0) return present;
  throw new UcpError('USAGE', `No client was found here: name one of ${CLIENTS.map(({ id }) => id).join(', ')}.`);
}

/** The client of a name. Throws USAGE. */
export function clientNamed(name: string): Client {
  const client = CLIENTS.find(({ id }) => id === name);
  if (client !== undefined) return client;
  throw new UcpError('USAGE', `There is no client ${JSON.stringify(name)}: ${CLIENTS.map(({ id }) => id).join(', ')}.`);
}

/** The file that is meant: the user's unless `--project`. Throws USAGE where the client has none. */
export function chosenFile(host: CliHost, client: Client, choice: Pick<Choice, 'project' | 'user'>): ClientFile {
  if (choice.project && choice.user) throw new UcpError('USAGE', '--project and --user exclude each other.');
  if (!choice.project) return new ClientFile(client, client.user(host), host);
  if (client.project !== undefined) return new ClientFile(client, resolve(client.project), host);
  throw new UcpError('USAGE', `${client.title} has no file for a project: leave out --project.`);
}

/** The defined servers that are meant: `--server`, `--all`, or the only one. Throws USAGE, SERVER_UNKNOWN. */
export function chosenServers(host: CliHost, { server, all }: Pick<Choice, 'server' | 'all'>): readonly string[] {
  const store = new ServerStore(host.env, host.home);
  const names = store.names();
  const chosen = server.length > 0 ? server : all || names.length === 1 ? names : undefined;
  if (chosen === undefined) {
    const there = names.length === 0 ? 'none is defined, see `ucp-sandbox mcp add`' : names.join(', ');
    throw new UcpError('USAGE', `Say which server with --server NAME, or --all of them (${there}).`);
  }
  for (const name of chosen) store.read(name);
  return chosen;
}

/**
 * How a client starts a server. In a user's file by absolute paths, since programs with windows have their own PATH; in a
 * project's, which others share, by the program's name.
 */
export function launchOf(host: CliHost, name: string, { project }: { readonly project: boolean }): Launch {
  const args = ['mcp', 'run', name];
  if (project) return { command: 'ucp-sandbox', args };
  return { command: process.execPath, args: [join(dirname(host.ucpd), 'ucp-sandbox.js'), ...args] };
}

function isPresent(host: CliHost, client: Client): boolean {
  const path = client.user(host);
  return existsSync(path) || (dirname(path) !== host.home && existsSync(dirname(path)));
}
