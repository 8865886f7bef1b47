import { Resolver } from 'node:dns/promises';

import { field } from '../../core/unknown.ts';
import { hostServers } from '../../net/dns/host-servers.ts';
import { type Check, ok } from './check.ts';

/** How long a resolver may take, ms. */
const PATIENCE = 2_000;
/** What says that nobody answered; everything else is an answer, also a refusal. */
const SILENCE: ReadonlySet<unknown> = new Set(['ETIMEOUT', 'ECONNREFUSED', 'ECANCELLED', 'EBADRESP']);

/** Asks each of the host's resolvers for the root; rules with names need one that answers. */
export async function dnsCheck(servers: readonly string[] = hostServers()): Promise<Check> {
  const silent: string[] = [];
  for (const server of servers) if (!(await answers(server))) silent.push(server);
  if (silent.length === 0) return ok('dns', `${servers.join(', ')}: answered`);
  const fix =
    'Mend /etc/resolv.conf, or name resolvers in `dns_servers` of config.yaml: sandboxes with a network config ask them.';
  return { id: 'dns', state: 'warn', reason: `no answer from ${silent.join(', ')}`, fix };
}

async function answers(server: string): Promise<boolean> {
  const resolver = new Resolver({ timeout: PATIENCE, tries: 1 });
  try {
    resolver.setServers([server.includes(':') && !server.startsWith('[') ? `[${server}]` : server]);
    await resolver.resolveNs('.');
    return true;
  } catch (error) {
    return !SILENCE.has(field(error, 'code'));
  }
}
