import { isIP } from 'node:net';

import type { PortRequest } from '../../../core/run-request.ts';
import { badValue } from './usage.ts';

const EXPECTED = '[[ADDRESS:]HOST:]CONTAINER[/tcp|udp], ports from 1 to 65535';
const LOOPBACK = '127.0.0.1';

interface Range {
  readonly first: number;
  readonly last: number;
}

/** `-p`: docker's grammar, ranges included; without an address a port is published on 127.0.0.1 only. */
export function parsePort(text: string): readonly PortRequest[] {
  const match = /^(?:(?:\[([0-9a-f:]+)\]|([\d.]+)):(?=[\d-]*:))?(?:([\d-]*):)?([\d-]+)(?:\/(tcp|udp))?$/i.exec(text);
  if (match === null) throw badValue('publish', EXPECTED, text);
  const [, six, four, hostText = '', containerText = '', protocol = 'tcp'] = match;
  const address = six ?? four ?? LOOPBACK;
  if (isIP(address) === 0) throw badValue('publish', EXPECTED, text);
  const container = range(containerText, text);
  const host = hostText === '' ? undefined : range(hostText, text);
  const count = container.last - container.first;
  if (host !== undefined && host.last - host.first !== count)
    throw badValue('publish', 'ranges of the same length', text);
  return Array.from({ length: count + 1 }, (_, offset) => ({
    address,
    hostPort: host === undefined ? 0 : host.first + offset,
    containerPort: container.first + offset,
    protocol: protocol.toLowerCase() === 'udp' ? 'udp' : 'tcp',
  }));
}

/** `--serve`: an address and a port to listen at; port 0 is any that is free. */
export function parseDoor(text: string): { readonly address: string; readonly port: number } {
  const [, six, four, digits = ''] = /^(?:(?:\[([0-9a-f:]+)\]|([\d.]+)):)?(\d{1,5})$/i.exec(text) ?? [];
  const address = six ?? four ?? LOOPBACK;
  if (digits === '' || Number(digits) > 65_535 || isIP(address) === 0) {
    throw badValue('serve', '[ADDRESS:]PORT, e.g. 127.0.0.1:8080', text);
  }
  return { address, port: Number(digits) };
}

function range(text: string, whole: string): Range {
  const [, first = '', last = first] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  const found = { first: Number(first), last: Number(last) };
  const valid = first !== '' && found.first >= 1 && found.first <= found.last && found.last <= 65_535;
  if (!valid) throw badValue('publish', EXPECTED, whole);
  return found;
}
