import { createInterface } from 'node:readline/promises';
import { ReadStream } from 'node:tty';

import type { CliHost } from '../host.ts';

/** Asks on the terminal; without one the answer is no. */
export async function confirmed(host: CliHost, question: string): Promise<boolean> {
  const { stdin, stderr } = host;
  if (!(stdin instanceof ReadStream)) return false;
  const terminal = createInterface({ input: stdin, output: stderr });
  try {
    return /^y(?:es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
