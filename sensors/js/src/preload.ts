/**
 * The preload file: `node --import ucp-sandbox/sensor app.js`, or `--require` / `--import` in NODE_OPTIONS.
 * Bundled to one CommonJS file, because only `--require` reaches workers that are made from text. What it needs to see
 * that there is no policy here is all that is evaluated then.
 */
import { SENSOR_ENV } from '../../../src/core/sensor-protocol.ts';
import { findPlaces } from './places.ts';
import type { Injection } from './inject/child-env.ts';
import { handedOver, isLoaderThread, isWorker } from './runtime/thread.ts';

/** Set in every thread that has the sensor: a second load does nothing. */
const LOADED = Symbol.for('ucp.sensor');

/** Exit code of a program that must not run without policy (`UCP_REQUIRE=1`). */
const REFUSED = 125;

function refuse(reason: string): never {
  process.stderr.write(`ucp: UCP_REQUIRE=1, but ${reason}; the program was not started.\n`);
  process.exit(REFUSED);
}

function preload(): void {
  if (LOADED in globalThis || (isWorker() && isLoaderThread())) return;
  Object.defineProperty(globalThis, LOADED, { value: true });
  // The environment of a worker is what the program made of it.
  const inherited = isWorker() ? (handedOver() as Injection | undefined) : undefined;
  const env = inherited?.variables ?? process.env;
  const places = findPlaces(env);
  const required = env[SENSOR_ENV.require] === '1';
  if (places === undefined) {
    if (required) refuse('there is neither UCP_POLICY_FILE nor a control plane on this host');
    return;
  }
  // Not an import: it would be evaluated above.
  const { start } = require('./start.ts') as typeof import('./start.ts');
  const failed = start(places, { preload: __filename, required, inherited });
  if (failed !== undefined) refuse(failed);
}

preload();
