import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';

/** glibc's bound (resolv.conf(5)). */
const MOST_SERVERS = 3;

/** The resolvers that a resolv.conf names; without any, this machine's own, as resolv.conf(5) says. */
export function serversOf(text: string): readonly string[] {
  const found = text
    .split('\n')
    .flatMap((line) => /^nameserver[ \t]+(\S+)/.exec(line)?.[1] ?? [])
    .filter((address) => isIP(address) !== 0);
  return found.length === 0 ? ['127.0.0.1'] : found.slice(0, MOST_SERVERS);
}

/** The host's resolvers as they are now: they change while the control plane runs (DHCP, VPN). */
export function hostServers(file = '/etc/resolv.conf'): readonly string[] {
  try {
    return serversOf(readFileSync(file, 'utf8'));
  } catch {
    return serversOf('');
  }
}
