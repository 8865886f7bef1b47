import { UcpError } from '../../../core/errors.ts';

/** The error of a flag whose value can't be understood: flag, what was expected, what came. */
export function badValue(flag: string, expected: string, came: string): UcpError {
  return new UcpError('USAGE', `--${flag}: expected ${expected}, got ${JSON.stringify(came)}.`);
}
