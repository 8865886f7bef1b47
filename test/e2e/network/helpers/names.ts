import type { Addresses, Site } from './addresses.ts';
import type { ZoneRecord } from './world/protocol.ts';

/** Names that the certificates of the internet's sites are for. */
export const CERTIFIED = ['allowed.example', 'denied.example']
  .flatMap((name) => [name, `*.${name}`])
  .concat('v4.example', 'v6.example');

/** Both addresses of a site under a name. */
function host(name: string, { v4, v6 }: Site, ttl = 300): readonly ZoneRecord[] {
  return [
    { name, type: 'A', data: v4, ttl },
    { name, type: 'AAAA', data: v6, ttl },
  ];
}

/**
 * What the internet's DNS server knows at first: the two sites and every name below them, names that stand for places
 * that nobody may reach by a name, aliases, a service, a text.
 */
export function namesOf({ allowed, denied, host: gateway }: Addresses): readonly ZoneRecord[] {
  return [
    ...['allowed.example', '*.allowed.example'].flatMap((name) => host(name, allowed)),
    ...['denied.example', '*.denied.example'].flatMap((name) => host(name, denied)),
    { name: 'v4.example', type: 'A', data: allowed.v4, ttl: 300 },
    { name: 'v6.example', type: 'AAAA', data: allowed.v6, ttl: 300 },
    { name: 'alias.example', type: 'CNAME', data: 'cdn.denied.example', ttl: 300 },
    { name: 'private.example', type: 'A', data: '10.0.0.1', ttl: 300 },
    { name: 'metadata.example', type: 'A', data: '169.254.169.254', ttl: 300 },
    { name: 'loopback.example', type: 'A', data: '127.0.0.1', ttl: 300 },
    { name: 'loopback.example', type: 'AAAA', data: '::1', ttl: 300 },
    { name: 'gateway.example', type: 'A', data: gateway.v4, ttl: 300 },
    { name: 'allowed.example', type: 'TXT', data: 'a text', ttl: 300 },
  ];
}
