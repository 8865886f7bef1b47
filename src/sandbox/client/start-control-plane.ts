import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';

/**
 * It idles for most of its life: a small young generation, no threads for V8 and one malloc arena, 22 MiB less. A heap that
 * grows by half at most between collections: events that wait for a slow disk leave 90 MiB less behind.
 */
const SMALL = [
  '--max-semi-space-size=1',
  '--heap-growing-percent=50',
  '--single-threaded-gc',
  '--v8-pool-size=0',
] as const;
const SMALL_ENV = { MALLOC_ARENA_MAX: '1' } as const;

/** A control plane that was started in the background. */
export interface StartedControlPlane {
  /** True once it has ended, e.g. because another one was faster. */
  ended(): boolean;
  readonly logFile: string;
}

/**
 * Starts `ucpd run --on-demand` as a process of its own, which outlives this one. Two of them at a time are fine: the
 * slower one finds the socket taken and leaves.
 */
export function startControlPlane(
  ucpd: string,
  stateDir: string,
  env: Readonly<Record<string, string | undefined>>,
): StartedControlPlane {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const logFile = `${stateDir}/ucpd.log`;
  const log = openSync(logFile, 'a', 0o600);
  const child = spawn(process.execPath, [...SMALL, ucpd, 'run', '--on-demand'], {
    detached: true,
    stdio: ['ignore', log, log],
    // Its own directory: it must not keep the caller's busy.
    cwd: '/',
    env: { ...SMALL_ENV, ...env },
  });
  closeSync(log);
  let ended = false;
  child.once('exit', () => (ended = true));
  child.once('error', () => (ended = true));
  child.unref();
  return { ended: () => ended, logFile };
}

/** The last line of a log file, for a message; '' when there is none. */
export function lastLine(path: string): string {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n').at(-1) ?? '';
  } catch {
    return '';
  }
}
