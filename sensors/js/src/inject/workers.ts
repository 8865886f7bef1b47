/**
 * Keeps the sensor in worker threads. Node runs preloads in workers by itself except where the program gives
 * `execArgv` or `env` of its own, and never runs an `--import` preload in a worker made from text (`eval: true`).
 *
 * Since: all supported Nodes.
 * Can't see: workers of other runtimes' pools that are made natively.
 */
import module from 'node:module';
import type { WorkerOptions } from 'node:worker_threads';

import { builtin } from '../load/builtin.ts';
import type { Sensor } from '../sensor.ts';
import { guarded } from '../wrap.ts';

export function installWorkers(sensor: Sensor, preload: string): void {
  const workerThreads = builtin('node:worker_threads') as typeof import('node:worker_threads');
  const Original = workerThreads.Worker;
  class Worker extends Original {
    constructor(file: string | URL, options?: WorkerOptions) {
      let passed = options;
      guarded(
        (error) => sensor.report('worker', error),
        () => {
          passed = withPreload(options, preload);
        },
      );
      super(file, passed);
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
export function withPreload(options: WorkerOptions | undefined, preload: string): WorkerOptions | undefined {
  if (options === undefined) return undefined;
  const bare = options.execArgv !== undefined || options.eval === true || typeof options.env === 'object';
  if (!bare) return options;
  const flags = options.execArgv ?? process.execArgv;
  // Not enough: `--import` of it, which workers made from text don't run.
  const required = flags.some((flag, index) => flag === '--require' && flags[index + 1] === preload);
  return required ? options : { ...options, execArgv: ['--require', preload, ...flags] };
}
