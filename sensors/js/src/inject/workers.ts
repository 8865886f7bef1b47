/**
 * Keeps the sensor in worker threads. Node runs preloads in workers by itself, except an `--import` preload in a worker
 * made from text (`eval: true`) and whatever preload where the program gives `execArgv` or `env` of its own. Where the
 * policy is, workers are told past their environment, which is the program's.
 *
 * Since: all supported Nodes.
 * Can't see: workers of other runtimes' pools that are made natively.
 */
import module from 'node:module';
import type { WorkerOptions } from 'node:worker_threads';

import { builtin } from '../load/builtin.ts';
import { HANDED_OVER } from '../runtime/thread.ts';
import type { Sensor } from '../sensor.ts';
import { guarded } from '../wrap.ts';
import { type Injection, withPreload } from './child-env.ts';

export function installWorkers(sensor: Sensor, injection: Injection): void {
  const workerThreads = builtin('node:worker_threads') as typeof import('node:worker_threads');
  workerThreads.setEnvironmentData(HANDED_OVER, { ...injection });
  const Original = workerThreads.Worker;
  class Worker extends Original {
    constructor(file: string | URL, options?: WorkerOptions) {
      let passed = options;
      guarded(
        (error) => sensor.report('worker', error),
        () => {
          passed = withSensor(options, injection.preload);
        },
      );
      try {
        super(file, passed);
      } catch (error) {
        const valid =
          passed === options ? undefined : acceptable(options, passed, { preload: injection.preload, error });
        if (valid === undefined) throw error;
        super(file, valid);
      }
    }
  }
  Object.defineProperty(workerThreads, 'Worker', {
    value: Worker,
    writable: true,
    enumerable: true,
    configurable: true,
  });
  module.syncBuiltinESMExports();
}

/** `options` with the preload, where the worker would miss it. A second load of the preload does nothing. */
export function withSensor(options: WorkerOptions | undefined, preload: string): WorkerOptions | undefined {
  if (options === undefined || options === null) return options;
  const env = environmentRead(options);
  if (env !== undefined)
    return { ...options, env: { ...env, NODE_OPTIONS: withPreload(env['NODE_OPTIONS'], preload) } };
  if (options.execArgv === undefined && options.eval !== true) return options;
  const flags = options.execArgv ?? process.execArgv;
  return isRequired(flags, preload) ? options : { ...options, execArgv: ['--require', preload, ...flags] };
}

/** The environment whose NODE_OPTIONS Node reads for a worker: where it is given one, or flags. SHARE_ENV must stay shared. */
function environmentRead({ env, execArgv }: WorkerOptions): NodeJS.ProcessEnv | undefined {
  if (typeof env === 'object' && env !== null && env !== process.env) return env;
  return execArgv !== undefined && typeof env !== 'symbol' ? process.env : undefined;
}

/** Whether this process has the preload by a flag that workers made from text have too. */
function isRequired(flags: readonly string[], preload: string): boolean {
  const variable = process.env['NODE_OPTIONS'];
  if (variable !== undefined && withPreload(variable, preload) === variable) return true;
  return flags.some((flag, index) => flag === '--require' && flags[index + 1] === preload);
}

/**
 * What to try when Node refuses `passed` with `error`; `undefined`: that was not ours. Flags that hold for a whole process
 * no worker may be given, except in a NODE_OPTIONS that is letter for letter the process's.
 */
export function acceptable(
  options: WorkerOptions | undefined,
  passed: WorkerOptions | undefined,
  { preload, error }: { readonly preload: string; readonly error: unknown },
): WorkerOptions | undefined {
  const { code, message } = error as { readonly code?: string; readonly message?: string };
  if (code !== 'ERR_WORKER_INVALID_EXEC_ARGV') return undefined;
  if (passed?.env !== options?.env) {
    return { ...options, execArgv: ['--require', preload, ...(options?.execArgv ?? [])] };
  }
  const invalid = new Set(message?.replace(/^[^:]*: /, '').split(', '));
  return { ...passed, execArgv: (passed?.execArgv ?? []).filter((flag) => !invalid.has(flag)) };
}
