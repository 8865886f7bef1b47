import { randomBytes } from 'node:crypto';
import { constants } from 'node:os';
import { PassThrough, Writable } from 'node:stream';

import { UcpError } from '../../../core/errors.ts';
import { Bridge } from '../../../sandbox/serve/bridge.ts';
import type { ServedSandbox } from '../../../sandbox/serve/session.ts';
import { createOutput, printable } from '../../output.ts';
import type { CliHost } from '../host.ts';
import { tokenDigest } from '../values/mcp.ts';
import { parseDoor } from '../values/ports.ts';
import type { FlagName } from './flags.ts';
import type { ParsedFlags } from './parse-flags.ts';
import { runCommand } from './run-command.ts';

/** Signals that end a bridge. */
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** How much of what a server says on stderr is kept for a message, characters. */
const KEPT = 1_000;

type Run = (parsed: ParsedFlags, host: CliHost) => Promise<number>;

/** `run --serve`: Streamable HTTP for clients that want a URL, a sandbox for each session. Resolves with the exit code. */
export async function serve(parsed: ParsedFlags, host: CliHost, run: Run): Promise<number> {
  const output = createOutput(host, { json: false });
  const door = parseDoor(parsed.values.get('serve')?.at(-1) ?? '');
  const token = parsed.values.get('mcp-token')?.at(-1);
  // A definition's run has a random name already.
  const name = parsed.values
    .get('name')
    ?.at(-1)
    ?.replace(/-[0-9a-f]{8}$/, '');
  // What is wrong with the command line is said before anybody comes.
  const { request } = runCommand(sessionOf(parsed, name), host.env);
  if (request.ports.length > 0) {
    throw new UcpError('USAGE', '--serve and --publish exclude each other: every session has a sandbox of its own.');
  }
  // Every run listens to the signals of this process.
  process.setMaxListeners(0);
  const start = (): ServedSandbox => startSandbox(sessionOf(parsed, name), host, run);
  const note = (line: string): void => output.note(printable(line));
  const bridge = new Bridge({ start, note, ...(token === undefined ? {} : { token: tokenDigest(token) }) });
  const port = await bridge.listen(door);
  const address = door.address.includes(':') ? `[${door.address}]` : door.address;
  output.note(`MCP over HTTP at http://${address}:${port}/mcp`);
  const signal = await new Promise<(typeof ENDING)[number]>((resolve) => {
    for (const ending of ENDING) process.once(ending, () => resolve(ending));
  });
  await bridge.close();
  return 128 + constants.signals[signal];
}

/** The command line of one session. */
function sessionOf(parsed: ParsedFlags, name: string | undefined): ParsedFlags {
  const values = new Map<FlagName, readonly string[]>(parsed.values);
  for (const own of ['serve', 'mcp-token', 'name'] as const) values.delete(own);
  values.set('mcp', [...(values.get('mcp') ?? []), 'stdio']);
  if (name !== undefined) values.set('name', [`${name}-${randomBytes(4).toString('hex')}`]);
  return { ...parsed, values };
}

function startSandbox(parsed: ParsedFlags, host: CliHost, run: Run): ServedSandbox {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  let said = '';
  // Its own stream before ours: each run listens to what it writes to.
  const stderr = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      said = (said + chunk.toString('utf8')).slice(-KEPT);
      host.stderr.write(chunk, () => done());
    },
  });
  const ended = run(parsed, { ...host, stdin, stdout, stderr }).then((exitCode) => {
    stdout.end();
    const words = exitCode === 0 || said.trim() === '' ? '' : ` It said last: ${said.trim()}`;
    return `The server ended with exit code ${exitCode}.${words}`;
  });
  return { stdin, stdout, ended };
}
