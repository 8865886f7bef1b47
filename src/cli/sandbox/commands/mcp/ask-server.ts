import { PassThrough, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

import { UcpError } from '../../../../core/errors.ts';
import { askTools, type ServerFacts } from '../../../../sandbox/servers/ask-tools.ts';
import type { ServerDefinition } from '../../../../sandbox/servers/definition.ts';
import type { CliHost } from '../../host.ts';
import { runMain } from '../../run/run-main.ts';
import { runArguments } from './run-arguments.ts';

/** Longest wait for a server's list of tools, ms: some fetch things when they start. */
const ANSWER_MS = 60_000;
/** How much of what a server says on stderr is kept for a message, characters. */
const KEPT = 2_000;

/** Starts the server as a client would, under policy, and asks it for its tools. Throws SERVER_CHECK_FAILED. */
export async function askServer(host: CliHost, name: string, definition: ServerDefinition): Promise<ServerFacts> {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const said = new Tail();
  const running = runMain(runArguments(name, definition), { ...host, stdin, stdout, stderr: said });
  const over = running.finally(() => stdout.end());
  const asked = Promise.race([askTools({ stdin, stdout }), silence()]);
  try {
    return await asked;
  } catch (cause) {
    stdin.end();
    await over;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const heard = said.text.trim() === '' ? '' : ` It said: ${said.text.trim()}`;
    throw new UcpError('SERVER_CHECK_FAILED', `${reason}${heard}`, { cause });
  } finally {
    stdin.end();
    await over;
  }
}

async function silence(): Promise<never> {
  await delay(ANSWER_MS, undefined, { ref: false });
  throw new UcpError('SERVER_CHECK_FAILED', `The server did not answer within ${ANSWER_MS / 1000} s.`);
}

/** Keeps the end of what is written to it. */
class Tail extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text = (this.text + chunk.toString('utf8')).slice(-KEPT);
    done();
  }
}
