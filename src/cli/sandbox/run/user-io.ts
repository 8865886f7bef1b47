import { ReadStream, WriteStream } from 'node:tty';

import { UcpError } from '../../../core/errors.ts';
import type { RunRequest } from '../../../core/run-request.ts';
import type { AttachedIo } from '../../../sandbox/run/attached.ts';
import type { CliHost } from '../host.ts';

/** The user's side of a run. Throws USAGE where `-it` is asked for and stdin is no terminal, as docker does. */
export function userIo(host: CliHost, request: RunRequest): AttachedIo {
  const { stdout, stderr } = host;
  const attached = request.mode === 'attached';
  const reads = attached && request.interactive;
  const terminalIn = reads && host.stdin instanceof ReadStream ? host.stdin : undefined;
  if (reads && request.tty && terminalIn === undefined) {
    throw new UcpError('USAGE', 'With --tty and --interactive stdin must be a terminal: leave out --tty.');
  }
  return {
    get stdin() {
      return host.stdin;
    },
    stdout,
    stderr,
    terminal: {
      ...(terminalIn === undefined ? {} : { stdin: terminalIn }),
      ...(stdout instanceof WriteStream ? { stdout } : {}),
      ...(stderr instanceof WriteStream ? { stderr } : {}),
    },
    signals: process,
  };
}
