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

/**
 * Directories where a control plane keeps the sensors' files for processes of the host, in the order in which clients look
 * for one: the one that the environment names, else the service before the user's own.
 */
function hostDirectories(env: Env): readonly string[] {
  const named = env['UCP_STATE_DIR'];
  if (named !== undefined) return [`${named}/host`];
  const { XDG_RUNTIME_DIR: runtime, XDG_STATE_HOME: state, HOME: home } = env;
  const user = runtime === undefined ? `${state ?? `${home ?? ''}/.local/state`}/ucp/run` : `${runtime}/ucp`;
  return ['/run/ucp/host', `${user}/host`];
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
