import { UcpError } from '../core/errors.ts';

/** The code of the error that `run` throws, undefined when it throws none; for tests. */
export function codeOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    return error instanceof UcpError ? error.code : String(error);
  }
  return undefined;
}
