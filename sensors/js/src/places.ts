import fs from 'node:fs';

import { SENSOR_POLICY, SENSOR_SOCKET } from '../../../src/core/plan.ts';
import { SENSOR_ENV } from '../../../src/core/sensor-protocol.ts';

const { existsSync } = fs;

/** Where this process finds its policy and the control plane. */
export interface Places {
  readonly policyFile: string;
  readonly socket: string | undefined;
  /** `sandbox`: the socket says who we are; `host`: our identity is our own claim (DESIGN §11). */
  readonly mode: 'sandbox' | 'host';
}

type Env = Readonly<Record<string, string | undefined>>;

/** Directories where a control plane keeps the sensors' files for processes of the host. */
function hostDirectories(env: Env): readonly string[] {
  const runtime = env['XDG_RUNTIME_DIR'];
  const user = env['UCP_STATE_DIR'] ?? (runtime === undefined ? undefined : `${runtime}/ucp`);
  return [...(user === undefined ? [] : [`${user}/host`]), '/run/ucp/host'];
}

/** The places that the environment names, else the host's well-known ones; `undefined`: there is no policy here. */
export function findPlaces(env: Env, exists: (path: string) => boolean = existsSync): Places | undefined {
  const named = env[SENSOR_ENV.policyFile];
  const socket = env[SENSOR_ENV.socket] === '' ? undefined : env[SENSOR_ENV.socket];
  if (named !== undefined && named !== '') {
    return { policyFile: named, socket, mode: env[SENSOR_ENV.sandboxId] === undefined ? 'host' : 'sandbox' };
  }
  for (const directory of hostDirectories(env)) {
    const policyFile = `${directory}/${SENSOR_POLICY}`;
    if (exists(policyFile)) return { policyFile, socket: socket ?? `${directory}/${SENSOR_SOCKET}`, mode: 'host' };
  }
  return undefined;
}
