import type { Logger } from '../../core/ports.ts';
import { printable, type TextStream } from '../output.ts';

/** Lines on stderr for the operator: `2026-01-31T12:00:00.000Z WARN message key=value`. */
export function lineLogger(stream: TextStream, debug: boolean): Logger {
  const write =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      const rest = Object.entries(fields).map(([key, value]) => ` ${key}=${JSON.stringify(value) ?? 'undefined'}`);
      stream.write(`${new Date().toISOString()} ${level} ${printable(message + rest.join(''))}\n`);
    };
  return {
    debug: debug ? write('DEBUG') : () => undefined,
    info: write('INFO'),
    warn: write('WARN'),
    error: write('ERROR'),
  };
}
