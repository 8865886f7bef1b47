import { existsSync, realpathSync } from 'node:fs';

import { INIT_PATH, RUN_DIR, SENSORS_DIR } from '../../core/plan.ts';
import type { MountRequest } from '../../core/run-request.ts';

/** The host's certificates inside a sandbox. */
export const CA_PATH = '/.ucp/ca.pem';
const TIMEZONE = '/etc/localtime';

/** Where distributions keep the bundle of trusted certificates. */
const CA_BUNDLES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

/** Host files that every sandbox gets, as far as the host has them. Absolute, no symbolic links. */
export interface HostFiles {
  readonly init: string;
  readonly runDir: string;
  readonly sensors?: string;
  readonly ca?: string;
  readonly timezone?: string;
}

/** The host's own files among {@link HostFiles}. */
export function findHostFiles(): Pick<HostFiles, 'ca' | 'timezone'> {
  const ca = CA_BUNDLES.find((path) => existsSync(path));
  return {
    ...(ca === undefined ? {} : { ca: realpathSync(ca) }),
    ...(existsSync(TIMEZONE) ? { timezone: realpathSync(TIMEZONE) } : {}),
  };
}

/** The required mounts, all read-only; a mount of the user's at the same place is not replaced but refused elsewhere. */
export function requiredMounts(files: HostFiles): readonly MountRequest[] {
  const mounts: readonly (readonly [string | undefined, string])[] = [
    [files.init, INIT_PATH],
    [files.runDir, RUN_DIR],
    [files.sensors, SENSORS_DIR],
    [files.ca, CA_PATH],
    [files.timezone, TIMEZONE],
  ];
  return mounts.flatMap(([source, target]) =>
    source === undefined ? [] : [{ type: 'bind' as const, source, target, readOnly: true }],
  );
}
