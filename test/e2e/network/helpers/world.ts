import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { execa, type ResultPromise } from 'execa';

import type { WorldAnswer, WorldRequest } from './world/protocol.ts';

const MAIN = join(import.meta.dirname, 'world/main.ts');

/** The program in the internet's namespace; see world/main.ts. */
export class World {
  readonly #process: ResultPromise;
  readonly #lines: AsyncIterator<string>;
  /** Requests are answered in their order. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(process: ResultPromise, lines: AsyncIterator<string>) {
    this.#process = process;
    this.#lines = lines;
  }

  /** Starts it in the namespace and waits until it listens. It ends with this process, however that ends. */
  static async start(namespace: string, config: string): Promise<World> {
    const started = execa('ip', ['netns', 'exec', namespace, process.execPath, MAIN, config], {
      buffer: { stdout: false },
      reject: false,
    });
    const world = new World(started, createInterface({ input: started.stdout })[Symbol.asyncIterator]());
    const first = await world.#line();
    if (first !== 'ready') throw new Error(`expected "ready" from the world, got "${first}"`);
    return world;
  }

  ask(request: WorldRequest): Promise<WorldAnswer> {
    const answer = this.#last.then(async () => {
      this.#process.stdin?.write(`${JSON.stringify(request)}\n`);
      return JSON.parse(await this.#line()) as WorldAnswer;
    });
    this.#last = answer.catch(() => {});
    return answer;
  }

  async stop(): Promise<void> {
    this.#process.stdin?.end();
    await this.#process;
  }

  async #line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error(`the test internet has ended: ${String((await this.#process).stderr)}`);
    return value;
  }
}
