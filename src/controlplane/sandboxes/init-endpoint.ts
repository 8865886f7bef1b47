import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';

import { UcpError } from '../../core/errors.ts';
import { goLine, INIT_PROTOCOL_VERSION, refusalLine, secretBytes, tryLine } from '../../core/init-protocol.ts';
import type { Clock } from '../../core/ports.ts';
import type { SecretRequest } from '../../core/secrets.ts';
import { lineSplitter } from '../server/line-splitter.ts';
import { listenUnix, type UnixServer } from '../server/unix-server.ts';

/** Longest line that ucp-init says, bytes. */
const MAX_INIT_LINE = 64;
/** How long a connection may take to say `ready`, ms. */
const READY_TIMEOUT = 5_000;
/** How long init may take for what it is asked, ms: where it tries an exec the kernel asks the helper meanwhile. */
const TRY_TIMEOUT = 10_000;

/** Turns of the event loop that a closed connection needs at most to be seen as closed. */
const TURNS = 3;

/** One start of a sandbox, waiting for its verdict. */
export interface InitSession {
  /** Init is there and waits. */
  readonly open: boolean;
  /** Has a process of the sandbox execute an empty file; resolves to execve's errno. Rejects with CONTROL_UNPROVEN. */
  tryExec(path: string): Promise<number>;
  /** Gives the workload a secret; resolves to errno. Rejects with SECRET_UNDELIVERED. */
  give(secret: SecretRequest, value: Buffer): Promise<number>;
  /** Lets the workload run; `marker` is what init writes at the end of its output. */
  go(marker: string | undefined): void;
  /** Keeps it from running: init prints the reason and exits 125. */
  refuse(reason: string): void;
}

/** What happens on a sandbox's init socket. */
export interface InitListener {
  /** Resolves when the start before is over; false when it is not: then the new connection isn't init's. */
  previousEnded(): Promise<boolean>;
  ready(session: InitSession): void;
  /** The main process ended and all its output precedes this. */
  exited(exitCode: number): void;
  /** The connection ended without an exit code: killed, or replaced by the workload itself. */
  lost(): void;
}

/**
 * Listens for ucp-init at `path`. The workload can reach the same socket, so only the first connection of a start
 * counts (init is the first process there): any further one while it lives is closed at once, and one after it is
 * heard only when the container of that start is dead, and with it every process that could pose as init.
 */
export function listenInit(path: string, clock: Clock, listener: InitListener): Promise<UnixServer> {
  let current: Socket | undefined;
  const take = async (socket: Socket): Promise<void> => {
    // The end of the start before may be waiting to be read in this very turn of the event loop.
    for (let turn = current === undefined ? TURNS : 0; turn < TURNS; turn += 1) await setImmediate();
    if (current !== undefined) {
      socket.destroy();
      return;
    }
    if (socket.destroyed) return;
    current = socket;
    socket.once('close', () => (current = undefined));
    serve(socket, clock, listener);
  };
  return listenUnix({
    path,
    mode: 0o666,
    onConnection: (socket) => {
      socket.on('error', () => undefined);
      void take(socket);
    },
  });
}

function unproven(path: string): UcpError {
  return new UcpError('CONTROL_UNPROVEN', `The exec of ${path} that proves the control did not end.`);
}

function untaken(name: string): UcpError {
  return new UcpError('SECRET_UNDELIVERED', `The sandbox did not say that it has the secret ${name}.`);
}

function serve(socket: Socket, clock: Clock, listener: InitListener): void {
  let phase: 'new' | 'asked' | 'running' | 'ended' = 'new';
  const cancel = clock.after(READY_TIMEOUT, () => socket.destroy());
  let answered: ((word: string, errno: number | undefined) => void) | undefined;
  /** What init answers to `bytes`: a line of `word` and errno. */
  const ask = (bytes: string | Buffer, word: string, failed: () => UcpError): Promise<number> => {
    const answer = new Promise<number>((resolve, reject) => {
      const late = clock.after(TRY_TIMEOUT, () => answered?.(word, undefined));
      answered = (said, errno) => {
        answered = undefined;
        late();
        if (errno === undefined || said !== word) reject(failed());
        else resolve(errno);
      };
    });
    socket.write(bytes);
    return answer;
  };
  const session: InitSession = {
    tryExec: (path) => ask(tryLine(path), 'tried', () => unproven(path)),
    give: (secret, value) => ask(secretBytes(secret, value), 'took', () => untaken(secret.name)),
    get open() {
      return !socket.destroyed;
    },
    go: (marker) => {
      phase = 'running';
      socket.write(goLine(marker));
    },
    refuse: (reason) => {
      phase = 'ended';
      socket.end(refusalLine(reason));
    },
  };
  const begin = async (): Promise<void> => {
    const ended = await listener.previousEnded();
    if (ended && !socket.destroyed) listener.ready(session);
    else socket.destroy();
  };
  const hear = (line: string): void => {
    if (phase === 'new' && line === `ready ${INIT_PROTOCOL_VERSION}`) {
      phase = 'asked';
      cancel();
      void begin();
      return;
    }
    const [, word = '', errno] = (phase === 'asked' ? /^(tried|took) (\d{1,3})$/.exec(line) : null) ?? [];
    if (errno !== undefined && answered !== undefined) {
      answered(word, Number(errno));
      return;
    }
    const code = phase === 'running' ? /^exit (\d{1,3})$/.exec(line)?.[1] : undefined;
    if (code === undefined) {
      socket.destroy();
      return;
    }
    phase = 'ended';
    listener.exited(Number(code));
  };
  socket.on(
    'data',
    lineSplitter(MAX_INIT_LINE, hear, () => socket.destroy()),
  );
  socket.once('close', () => {
    cancel();
    answered?.('', undefined);
    if (phase === 'running') listener.lost();
  });
}
