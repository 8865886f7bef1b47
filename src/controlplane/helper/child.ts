import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { UcpError } from '../../core/errors.ts';
import { isRunning, type ProcessIdentity, processIdentity } from './process-identity.ts';
import { helperPlaces, type HelperPlaces } from './places.ts';
import type { HelperContext, HelperLauncher, HelperProcess, HelperSpec } from './spec.ts';

/** How long an ended helper may take to be gone, and how often that is looked at, ms. */
const GONE = 5_000;
const LOOK = 20;
/** Last bytes of its log that a message repeats. */
const WORDS = 500;

/** Helpers as processes of their own beside the control plane, which they outlive. */
export function childLauncher(spec: HelperSpec, context: HelperContext): HelperLauncher {
  const places = helperPlaces(context.stateDir, spec.program);
  return {
    find: async () => {
      const identity = readIdentity(places);
      return identity !== undefined && isRunning(identity) ? childProcess(identity, places, context) : undefined;
    },
    start: async () => {
      const identity = await start(join(context.helpers, spec.program), places);
      writeFileSync(places.identity, JSON.stringify(identity), { mode: 0o600 });
      return childProcess(identity, places, context);
    },
  };
}

function readIdentity({ identity }: HelperPlaces): ProcessIdentity | undefined {
  try {
    const found: ProcessIdentity = JSON.parse(readFileSync(identity, 'utf8'));
    return found;
  } catch {
    return undefined;
  }
}

async function start(program: string, { socket, log }: HelperPlaces): Promise<ProcessIdentity> {
  const out = openSync(log, 'w', 0o600);
  try {
    const child = spawn(program, ['--connect', socket], { detached: true, env: {}, stdio: ['ignore', out, out] });
    await once(child, 'spawn');
    child.unref();
    return processIdentity(child.pid ?? 0);
  } catch (cause) {
    throw new UcpError('HELPER_UNAVAILABLE', `${program} can't be started: ${String(cause)}.`, { cause });
  } finally {
    closeSync(out);
  }
}

function childProcess(identity: ProcessIdentity, places: HelperPlaces, { clock }: HelperContext): HelperProcess {
  const alive = (): boolean => isRunning(identity);
  return {
    alive: async () => alive(),
    lastWords: async () => readFileSync(places.log, 'utf8').slice(-WORDS).trim(),
    stop: async () => {
      if (alive()) process.kill(identity.pid, 'SIGTERM');
      for (const end = clock.monotonic() + GONE; alive() && clock.monotonic() < end;) {
        await new Promise<void>((resolve) => void clock.after(LOOK, resolve));
      }
      if (alive()) process.kill(identity.pid, 'SIGKILL');
      rmSync(places.identity, { force: true });
    },
  };
}
