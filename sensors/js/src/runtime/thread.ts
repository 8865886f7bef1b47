import fs from 'node:fs';

import { builtin } from '../load/builtin.ts';

/** Taken before any hook wraps it. */
const readlink = fs.readlinkSync;
let known: number | undefined;

/** The number of this thread, as its process sees it; 0 where the system doesn't say. */
export function threadId(): number {
  try {
    return (known ??= Number(/\d+$/.exec(readlink('/proc/thread-self'))?.[0] ?? 0));
  } catch {
    return (known = 0);
  }
}

/** Whether this is a worker thread, without loading `worker_threads` into the main one: Node marks what workers can't do. */
export function isWorker(): boolean {
  return (process.chdir as { readonly disabled?: boolean }).disabled === true;
}

/** Under this name a worker finds what the thread that made it handed over. */
export const HANDED_OVER = 'ucp.sensor';

/** What the thread that made this worker handed over; `undefined`: nothing. */
export function handedOver(): unknown {
  return (builtin('node:worker_threads') as typeof import('node:worker_threads')).getEnvironmentData(HANDED_OVER);
}

/** Whether this is the thread in which Node runs loader hooks: it runs preloads too, but no program. */
export function isLoaderThread(): boolean {
  const { isMainThread, parentPort } = builtin('node:worker_threads') as typeof import('node:worker_threads');
  return !isMainThread && parentPort === null;
}
