import type { Command } from 'commander';

import { connectFirst, socketsOf } from '../../../../sandbox/client/connect.ts';
import { CLIENTS } from '../../../../sandbox/clients/catalog.ts';
import { ServerStore } from '../../../../sandbox/servers/store.ts';
import type { CliHost } from '../../host.ts';
import { candidates } from './candidates.ts';
import { SHELLS } from './scripts.ts';

/** What may come at the end of these words, on this host. Starts nothing. */
export async function complete(root: Command, host: CliHost, words: readonly string[]): Promise<readonly string[]> {
  return candidates(root, words, {
    sandboxes: async () => sandboxNames(host),
    servers: () => new ServerStore(host.env, host.home).names(),
    clients: CLIENTS.map(({ id }) => id),
    shells: SHELLS,
  });
}

async function sandboxNames(host: CliHost): Promise<readonly string[]> {
  const client = await connectFirst(socketsOf(host));
  if (client === undefined) return [];
  const { sandboxes } = await client.call('list', { all: true });
  client.close();
  return sandboxes.map(({ name }) => name);
}
