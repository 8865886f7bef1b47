import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * A stable id of this host: machine-id(5) asks not to publish the id itself but a keyed hash of it. Without a
 * machine-id (a bare container) the host's name takes its place.
 */
export function hostId(read: (path: string) => string = (path) => readFileSync(path, 'utf8')): string {
  return createHash('sha256')
    .update(`ucp host id\0${machineId(read)}`)
    .digest('hex')
    .slice(0, 32);
}

function machineId(read: (path: string) => string): string {
  for (const path of ['/etc/machine-id', '/var/lib/dbus/machine-id']) {
    try {
      const id = read(path).trim();
      if (id !== '' && id !== 'uninitialized') return id;
    } catch {
      // Not there: the next one.
    }
  }
  return hostname();
}
