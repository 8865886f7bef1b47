import { styleText } from 'node:util';

import { toErrorRecord, type UcpError } from '../core/errors.ts';

/** What a command writes to; `process.stdout` and `process.stderr` are such. */
export interface TextStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** The outside of a command line, so that tests run it in-process. */
export interface CliIo {
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  readonly env: Readonly<Record<string, string | undefined>>;
}

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

/** How a command talks: answers on stdout, everything else on stderr; `--json` turns both into JSON lines. */
export interface Output {
  readonly json: boolean;
  /** The answer: `text()` for people, `value` with `--json`. */
  answer(value: unknown, text: () => string): void;
  /** A remark for people on stderr; silent with `--json`. */
  note(text: string): void;
  /** A failure on stderr: code, message, pointer; with `--json` the last line of stderr is the error as JSON. */
  failure(error: UcpError, exitCode: number): void;
  /** `text` in a colour, where stdout is a terminal that shows it. */
  paint(style: Style, text: string): string;
}

/** True when the stream shows colours: NO_COLOR and TERM=dumb say no, FORCE_COLOR yes, else terminals do. */
export function showsColour(stream: TextStream, env: CliIo['env']): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  if ((env['FORCE_COLOR'] ?? '') !== '') return env['FORCE_COLOR'] !== '0';
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}

/** `text` with control characters spelled out, so that no document or workload steers the reader's terminal. */
export function printable(text: string): string {
  return text.replaceAll(
    // eslint-disable-next-line no-control-regex
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The output of one command. */
export function createOutput(io: CliIo, options: { readonly json?: boolean }): Output {
  const json = options.json ?? false;
  const paint = (stream: TextStream, style: Style, text: string): string =>
    showsColour(stream, io.env) ? styleText(style, text, { validateStream: false }) : text;
  return {
    json,
    answer(value, text) {
      io.stdout.write(json ? `${JSON.stringify(value)}\n` : `${text()}\n`);
    },
    note(text) {
      if (!json) io.stderr.write(`${printable(text)}\n`);
    },
    failure(error, exitCode) {
      if (json) {
        io.stderr.write(`${JSON.stringify({ outcome: 'error', ...toErrorRecord(error), exitCode })}\n`);
        return;
      }
      const at = error.pointer === undefined ? '' : ` (at ${error.pointer})`;
      const label = paint(io.stderr, 'red', `error ${error.code}:`);
      io.stderr.write(`${label} ${printable(`${error.message}${at}`)}\n`);
    },
    paint: (style, text) => paint(io.stdout, style, text),
  };
}
