import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

import { GatewayHost } from '../test/e2e/gateway/helpers/under-policy.ts';
import { mcpServer } from '../test/images/index.ts';
import { machine } from './lib/machine.ts';
import { memoryOf } from './lib/memory.ts';
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

  /** MiB of the machine's memory that the program has for itself, its part of what it shares included. */
  memory(): number {
    return memoryOf(this.#child.pid ?? 0);
  }

  async end(): Promise<void> {
    this.#child.stdin?.end();
    await once(this.#child, 'exit');
  }

  #send(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}

/** `npm run bench -- mcp [ROUNDS]`: a named server against `docker run -i`: start until its tools are listed, a call, memory. */
export async function run([rounds = '15']: readonly string[]): Promise<boolean> {
  await using host = new GatewayHost();
  await host.ready();
  const image = await mcpServer();
  const deny = { tools: { '*': { deny_list: ['danger', 'x-*'] } } };
  const policy = await host.flags({ remediate: true, mcp: { server: deny } });
  for (const [name, flags] of [
    ['everything', []],
    ['judged', policy],
  ] as const) {
    const added = await host.sandbox(['mcp', 'add', ...flags, name, image, SERVER]);
    if (added.exitCode !== 0) throw new Error(added.stderr);
  }
  const ours = (name: string) => (): Conversation =>
    new Conversation(process.execPath, [PROGRAM, 'mcp', 'run', name], { ...host.env });
  const subjects = [
    ['docker run -i', () => new Conversation('docker', ['run', '--rm', '-i', image, SERVER], process.env)],
    ['ucp-sandbox mcp run', ours('everything')],
    ['the same with a deny list', ours('judged')],
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
  const memory = open.map((conversation) => conversation.memory());
  for (const conversation of open) await conversation.end();
  console.log(`${machine()}; ${rounds} rounds\n`);
  const times = starts.map(({ name, rounds: all }) => [name, duration(median(all)), duration(Math.min(...all))]);
  console.log(table(['start until tools/list is answered', 'median', 'min'], times));
  console.log(table(['echo call', 'median', 'min', 'p95'], calls.map(row)));
  console.log(
    table(
      ['memory outside the container', 'MiB'],
      subjects.map(([name], at) => [name, (memory[at] ?? 0).toFixed(1)]),
    ),
  );
  return reached(starts, calls, memory.at(-1) ?? Number.POSITIVE_INFINITY);
}

/** Whether the server with a deny list reaches the goals. */
function reached(starts: readonly Start[], calls: readonly Sample[], memory: number): boolean {
  const [dockerStart, , judgedStart] = starts;
  const [dockerCall, , judgedCall] = calls;
  if (dockerStart === undefined || judgedStart === undefined || dockerCall === undefined || judgedCall === undefined)
    return false;
  const pairs = judgedStart.rounds.map((time, at) => time / (dockerStart.rounds[at] ?? time));
  const added = (judgedCall.median - dockerCall.median) * 1000;
  return [
    goal('start with a deny list, median of the pairs', median(pairs), 1.1),
    goal('echo call with a deny list, median of the pairs', ratio(judgedCall, dockerCall), 1.05),
    goal('added to a call', added, 100, 'µs'),
    goal('memory outside the container', memory, 60, 'MiB'),
  ].every(Boolean);
}

/** Times to be ready, one a round. */
interface Start {
  readonly name: string;
  readonly rounds: readonly number[];
}

/** Each subject's times to be ready, one a round. */
async function startTimes(
  subjects: readonly (readonly [string, () => Conversation])[],
  rounds: number,
): Promise<readonly Start[]> {
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
