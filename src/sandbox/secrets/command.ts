import { execFile } from 'node:child_process';

import { MAX_SECRET } from '../../core/secrets.ts';

/** How a program ended; `missing`: there is none of that name. */
export type Ended =
  | { readonly kind: 'done'; readonly stdout: Buffer }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'missing' };

/** Somebody may have to unlock a keyring meanwhile. */
const TIMEOUT_MS = 60_000;

/** Runs a program that prints a secret. What it prints is in no message, not even when it fails. */
export function printed(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { env: { ...env }, encoding: 'buffer', timeout: TIMEOUT_MS, maxBuffer: MAX_SECRET + 1 } as const;
    const child = execFile(program, [...args], options, (error, stdout, stderr) => {
      if (error === null) return resolve({ kind: 'done', stdout });
      if (error.code === 'ENOENT') return resolve({ kind: 'missing' });
      const why = error.killed === true ? 'it did not end in time or said too much' : `exit code ${error.code ?? '?'}`;
      const [line = ''] = stderr.toString('utf8').trim().split('\n');
      resolve({ kind: 'failed', reason: line === '' ? why : `${why}: ${line.slice(0, 200)}` });
    });
    child.stdin?.end();
  });
}
