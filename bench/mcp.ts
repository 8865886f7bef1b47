import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

import { TestHost } from '../test/e2e/helpers/host.ts';
import { mcpServer } from '../test/images/index.ts';
import { machine } from './lib/machine.ts';
import { measure, median, ratio, type Sample } from './lib/measure.ts';
import { duration, goal, table } from './lib/table.ts';

const PROGRAM = join(resolve(import.meta.dirname, '..'), 'bin/ucp-sandbox.js');
const SERVER = 'mcp-server-everything';
/** Calls a round. */
const BATCH = 100;

/** A client of a stdio server, as small as can be, so that what is measured is the server's side. */
class Conversation {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  #id = 0;

  constructor(program: string, args: readonly string[], env: NodeJS.ProcessEnv) {
    this.#child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
    const { stdout } = this.#child;
    if (stdout === null) throw new Error('no stdout');
    this.#lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  }

  async ask(method: string, params: object): Promise<void> {
    const id = ++this.#id;
    this.#send({ id, method, params });
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done === true) throw new Error(`ended before it answered ${method}`);
      const message = JSON.parse(value) as { id?: number; result?: unknown };
      if (message.id !== id) continue;
      if (message.result === undefined) throw new Error(value);
      return;
    }
  }

  /** From nothing to its list of tools. */
  async ready(): Promise<void> {
    const clientInfo = { name: 'bench', version: '1' };
    await this.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    this.#send({ method: 'notifications/initialized' });
    await this.ask('tools/list', {});
  }

  async end(): Promise<void> {
    this.#child.stdin?.end();
    await once(this.#child, 'exit');
  }

  #send(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}

/** `npm run bench -- mcp [ROUNDS]`: a named server against `docker run -i`: start until its tools are listed, and a call. */
export async function run([rounds = '15']: readonly string[]): Promise<boolean> {
  await using host = new TestHost();
  const image = await mcpServer();
  const added = await host.sandbox(['mcp', 'add', 'everything', image, SERVER]);
  if (added.exitCode !== 0) throw new Error(added.stderr);
  const docker = (): Conversation => new Conversation('docker', ['run', '--rm', '-i', image, SERVER], process.env);
  const ours = (): Conversation =>
    new Conversation(process.execPath, [PROGRAM, 'mcp', 'run', 'everything'], { ...host.env });
  const subjects = [
    ['docker run -i', docker],
    ['ucp-sandbox mcp run', ours],
  ] as const;
  const starts = await startTimes(subjects, Number(rounds));
  const open = subjects.map(([, start]) => start());
  for (const conversation of open) await conversation.ready();
  const calls = await measure(
    subjects.map(([name], index) => ({
      name,
      batch: BATCH,
      run: async () => {
        for (let at = 0; at < BATCH; at++) {
          await open[index]?.ask('tools/call', { name: 'echo', arguments: { message: 'hello' } });
        }
      },
    })),
    { rounds: Number(rounds), warmup: 2 },
  );
  for (const conversation of open) await conversation.end();
  console.log(`${machine()}; ${rounds} rounds\n`);
  const times = starts.map(({ name, rounds: all }) => [name, duration(median(all)), duration(Math.min(...all))]);
  console.log(table(['start until tools/list is answered', 'median', 'min'], times));
  console.log(table(['echo call', 'median', 'min', 'p95'], calls.map(row)));
  const [dockerStart, ourStart] = starts;
  const [dockerCall, ourCall] = calls;
  if (dockerStart === undefined || ourStart === undefined || dockerCall === undefined || ourCall === undefined)
    return false;
  const pairs = ourStart.rounds.map((time, at) => time / (dockerStart.rounds[at] ?? time));
  const started = goal('start, median of the pairs', median(pairs), 1.1);
  return goal('echo call, median of the pairs', ratio(ourCall, dockerCall), 1.05) && started;
}

/** Each subject's times to be ready, one a round. */
async function startTimes(
  subjects: readonly (readonly [string, () => Conversation])[],
  rounds: number,
): Promise<readonly { readonly name: string; readonly rounds: readonly number[] }[]> {
  const starts = subjects.map(([name]) => ({ name, rounds: new Array<number>() }));
  for (let round = 0; round < rounds; round++) {
    for (const [index, [, start]] of subjects.entries()) starts[index]?.rounds.push(await startTime(start));
  }
  return starts;
}

/** Milliseconds from nothing to the list of tools; the end of it is not counted. */
async function startTime(start: () => Conversation): Promise<number> {
  const before = performance.now();
  const conversation = start();
  await conversation.ready();
  const time = performance.now() - before;
  await conversation.end();
  return time;
}

function row({ name, median, min, p95 }: Sample): string[] {
  return [name, duration(median), duration(min), duration(p95)];
}
