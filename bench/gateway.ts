import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

import { cServer } from '../test/e2e/gateway/helpers/c-server.ts';
import { GatewayHost } from '../test/e2e/gateway/helpers/under-policy.ts';
import { machine } from './lib/machine.ts';
import { measure, ratio, type Sample } from './lib/measure.ts';
import { duration, goal, table } from './lib/table.ts';

const PROGRAM = join(resolve(import.meta.dirname, '..'), 'bin/ucp-sandbox.js');
const BATCH = 200;

/** A server at the other end of a pair of pipes, asked one question after another. */
class Conversation {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(program: string, args: readonly string[], env: NodeJS.ProcessEnv) {
    this.#child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
    const { stdout } = this.#child;
    if (stdout === null) throw new Error('no stdout');
    this.#lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  }

  async ask(method: string, params: object, expected = '"result"'): Promise<void> {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`);
    const { value, done } = await this.#lines.next();
    if (done === true || !value.includes(expected)) throw new Error(`expected ${expected}, got ${value}`);
  }

  async end(): Promise<void> {
    this.#child.stdin?.end();
    await once(this.#child, 'exit');
  }
}

/** `npm run bench -- gateway`: a call of a small tool, with the gateway and without, in sandboxes that stay. */
export async function run(): Promise<boolean> {
  await using host = new GatewayHost();
  await host.ready();
  const image = await cServer();

  const deny = { tools: { '*': { deny_list: ['danger', 'x-*'] } } };
  const flags = {
    names: await host.flags({ remediate: true, mcp: { server: deny } }),
    secrets: await host.flags({
      remediate: true,
      mcp: { server: { tools: { '*': { arguments: { builtin: ['secrets'] } } } } },
    }),
  };
  const ours = (...more: readonly string[]): Conversation =>
    new Conversation(process.execPath, [PROGRAM, 'run', '--mcp', 'stdio', ...more, image], { ...host.env });
  const subjects = [
    ['docker run -i', new Conversation('docker', ['run', '--rm', '-i', image], process.env)],
    ['without a gateway', ours()],
    ['with a deny list', ours(...flags.names)],
    ['with patterns for secrets', ours(...flags.secrets)],
  ] as const;
  // That it is there.
  await subjects[2][1].ask('initialize', {});
  await subjects[2][1].ask('tools/call', { name: 'danger' }, '-32010');
  const call = { name: 'echo', arguments: { message: 'hello, how are you today?' } };
  const samples = await measure(
    subjects.map(([name, conversation]) => ({
      name,
      batch: BATCH,
      setup: () => conversation.ask('initialize', {}),
      run: async () => {
        for (let at = 0; at < BATCH; at++) await conversation.ask('tools/call', call);
      },
    })),
    { rounds: 21, warmup: 4 },
  );
  for (const [, conversation] of subjects) await conversation.end();
  console.log(`${machine()}; ${BATCH} calls a round, 21 rounds\n`);
  console.log(table(['echo call', 'median', 'min', 'p95'], samples.map(row)));
  const [, without, named] = samples;
  if (without === undefined || named === undefined) return false;
  const relative = goal('with a deny list : without a gateway, median of the pairs', ratio(named, without), 1.05);
  return goal('added by the gateway', (named.median - without.median) * 1000, 100, 'µs') && relative;
}

function row({ name, median, min, p95 }: Sample): string[] {
  return [name, duration(median), duration(min), duration(p95)];
}
