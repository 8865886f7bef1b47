import { ReadStream, WriteStream } from 'node:tty';

import { UcpError } from '../../../core/errors.ts';
import type { ExecSession } from '../../../engine/engine.ts';
import { OutputPump } from '../../../sandbox/streams/output.ts';
import { forwardInput } from '../../../sandbox/streams/input.ts';
import { takeTerminal, type TerminalLease } from '../../../sandbox/streams/terminal.ts';
import { parseEnvironment } from '../values/environment.ts';
import type { CliHost } from '../host.ts';
import { findSandbox, type Session } from './session.ts';

/** Options of `exec`, as docker has them. */
export interface ExecFlags {
  readonly env: readonly string[];
  readonly interactive: boolean;
  readonly tty: boolean;
  readonly user?: string;
  readonly workdir?: string;
}

/** `exec`: runs a further program in a sandbox; resolves with its exit code. */
export async function exec(
  session: Session,
  name: string,
  command: readonly string[],
  flags: ExecFlags,
): Promise<number> {
  const { host, engine } = session;
  const stdin = flags.interactive && host.stdin instanceof ReadStream ? host.stdin : undefined;
  if (flags.tty && flags.interactive && stdin === undefined) {
    throw new UcpError('USAGE', 'With --tty and --interactive stdin must be a terminal: leave out --tty.');
  }
  const { containerId } = await findSandbox(session, name);
  const { env, tty, interactive, user, workdir } = flags;
  const started = await engine.exec(containerId, {
    command,
    env: Object.entries(parseEnvironment([], env, host.env)).map(([key, value]) => `${key}=${value}`),
    tty,
    stdin: interactive,
    ...(user === undefined ? {} : { user }),
    ...(workdir === undefined ? {} : { workdir }),
  });
  const terminal = tty ? followTerminal(host, stdin, started) : undefined;
  const stopInput = interactive ? forwardInput(host.stdin, started.attachment.stream, () => undefined) : undefined;
  await copyOutput(host, started);
  stopInput?.();
  terminal?.restore();
  return started.exitCode();
}

function followTerminal(host: CliHost, stdin: ReadStream | undefined, session: ExecSession): TerminalLease {
  const stdout = host.stdout instanceof WriteStream ? host.stdout : undefined;
  return takeTerminal(stdin, stdout, (size) => void session.resize(size).catch(() => undefined));
}

async function copyOutput({ stdout, stderr }: CliHost, { attachment }: ExecSession): Promise<void> {
  let pump: OutputPump | undefined;
  await new Promise<void>((resolve) => {
    pump = new OutputPump(attachment, { stdout, stderr, onComplete: () => resolve(), onBrokenPipe: resolve });
    pump.start();
  });
  await pump?.flushed();
}
