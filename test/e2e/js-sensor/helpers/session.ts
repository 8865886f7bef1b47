import { join } from 'node:path';

import { execa, type ResultPromise } from 'execa';

import type { JsonObject } from '../../../../src/core/json.ts';
import { Collector } from './collector.ts';
import { writePolicy } from './policy.ts';
import { PRELOAD } from './run.ts';

/** A running program that answers each line with a line, its policy and its control plane. */
export class Session implements AsyncDisposable {
  readonly collector: Collector;
  readonly policyFile: string;
  readonly child: ResultPromise;
  /** Lines that nobody asked for. */
  readonly said: string[] = [];
  #generation = 1;
  #waiting: ((line: string) => void)[] = [];
  readonly #unasked: ReadonlySet<string>;

  private constructor(collector: Collector, child: ResultPromise, unasked: readonly string[]) {
    this.collector = collector;
    this.policyFile = join(collector.directory, 'policy.json');
    this.child = child;
    this.#unasked = new Set(unasked);
    let rest = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      for (const part of parts) this.#line(part);
    });
  }

  /** Starts `program` with the sensor; resolves when it said `ready`. */
  static async start(
    argv: readonly string[],
    policy: JsonObject,
    options: { readonly listening?: boolean; readonly node?: string; readonly paused?: boolean } = {},
  ): Promise<Session> {
    const collector = new Collector();
    if (options.listening !== false) await collector.listen({ paused: options.paused === true });
    writePolicy(join(collector.directory, 'policy.json'), policy);
    const child = execa(options.node ?? process.execPath, ['--import', PRELOAD, ...argv], {
      extendEnv: false,
      reject: false,
      stdin: 'pipe',
      buffer: false,
      env: {
        PATH: process.env['PATH'] ?? '',
        UCP_POLICY_FILE: join(collector.directory, 'policy.json'),
        UCP_SENSOR_SOCKET: collector.socket,
      },
    });
    const session = new Session(collector, child, ['changed']);
    await session.answer();
    return session;
  }

  /** The next line that isn't unasked for. */
  async answer(): Promise<string> {
    return await new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  async ask(command: string): Promise<unknown> {
    const answer = this.answer();
    this.child.stdin?.write(`${command}\n`);
    return JSON.parse(await answer) as unknown;
  }

  /** Replaces the policy; returns its generation. */
  replace(policy: JsonObject): number {
    this.#generation += 1;
    writePolicy(this.policyFile, policy, this.#generation);
    return this.#generation;
  }

  /** Asks again and again, without a pause of its own, until the answer is `expected`. */
  async askUntil(command: string, expected: (answer: unknown) => boolean): Promise<unknown> {
    for (;;) {
      const answer = await this.ask(command);
      if (expected(answer)) return answer;
    }
  }

  /** Ends the program by ending its input; its exit code. */
  async end(): Promise<number | undefined> {
    this.child.stdin?.end();
    return (await this.child).exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    await this.collector[Symbol.asyncDispose]();
  }

  #line(line: string): void {
    if (this.#unasked.has(line)) this.said.push(line);
    else this.#waiting.shift()?.(line);
  }
}
