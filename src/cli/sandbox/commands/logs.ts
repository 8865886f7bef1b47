import type { Writable } from 'node:stream';

import { field } from '../../../core/unknown.ts';
import { FrameReader, type StreamName } from '../../../sandbox/streams/frames.ts';
import { roomIn } from '../../outlet.ts';
import { printable } from '../../output.ts';
import { parseSince } from '../values/since.ts';
import { findSandbox, type Session } from './session.ts';

/** Options of `logs`. */
export interface LogsOptions {
  readonly follow: boolean;
  readonly since?: string;
  readonly tail?: number;
  readonly timestamps: boolean;
}

/** What init writes at the end of an attached workload's output, see core/init-protocol. */
// eslint-disable-next-line no-control-regex
const END_MARKER = /\0ucp-end:[0-9a-f]{32}\0/g;

/** `logs`: the workload's stdout and stderr on ours; with --json one object a line. */
export async function logs(session: Session, name: string, options: LogsOptions): Promise<void> {
  const { containerId } = await findSandbox(session, name);
  const raw = await session.engine.inspectRaw(containerId);
  const tty = field(field(raw, 'Config'), 'Tty') === true;
  const { follow, since, tail, timestamps } = options;
  const stream = await session.engine.logs(containerId, {
    follow,
    timestamps,
    ...(since === undefined ? {} : { since: parseSince(since, Date.now()) }),
    ...(tail === undefined ? {} : { tail }),
  });
  const writers = { stdout: new LogWriter(session, 'stdout'), stderr: new LogWriter(session, 'stderr') };
  const frames = new FrameReader((from, bytes) => writers[from].push(bytes.toString('utf8')));
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    if (tty) writers.stdout.push(bytes.toString('utf8'));
    else frames.push(bytes);
    await Promise.all([roomIn(session.host.stdout), roomIn(session.host.stderr)]);
  }
  writers.stdout.end();
  writers.stderr.end();
}

/** Writes whole lines, so that markers and escape sequences are never cut. */
class LogWriter {
  readonly #name: StreamName;
  readonly #json: boolean;
  readonly #target: Writable;
  readonly #clean: boolean;
  #rest = '';

  constructor({ host, output }: Session, name: StreamName) {
    this.#name = name;
    this.#json = output.json;
    this.#target = output.json ? host.stdout : host[name];
    // CT-07: a workload's bytes must not steer the reader's terminal.
    this.#clean = 'isTTY' in this.#target && this.#target.isTTY === true;
  }

  push(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#write(line, '\n');
  }

  end(): void {
    this.#write(this.#rest, '');
  }

  #write(line: string, end: string): void {
    const text = line.replaceAll(END_MARKER, '');
    if (text === '' && end === '') return;
    if (this.#json) this.#target.write(`${JSON.stringify({ stream: this.#name, line: text })}\n`);
    else this.#target.write(`${this.#clean ? printable(text) : text}${end}`);
  }
}
