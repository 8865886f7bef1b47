import type { Writable } from 'node:stream';

import { isObject } from '../../../policy/mcp/wire.ts';
import { judgeMessages, written } from '../judge.ts';
import { readText } from '../read-line.ts';
import type { Scene } from '../scene.ts';
import type { Budget } from './body.ts';
import { BlockCutter, type EventBlock, readBlock, writeBlock } from './blocks.ts';
import type { Carrier } from './carry.ts';

/** What a stream needs to know of its surroundings. */
export interface StreamContext {
  readonly scene: Scene;
  readonly budget: Budget;
  /** Whether the client may be sent to this address for its messages (HTTP+SSE); called for each that is given out. */
  addressed(address: string): boolean;
  /** Answers requests of the server that the client never sees. */
  answer(messages: readonly unknown[]): void;
}

/** An event stream of the server on its way to the client, judged event by event under the policy in force. */
export class JudgedStream implements Carrier {
  readonly #context: StreamContext;
  readonly #to: Writable;
  readonly #cutter = new BlockCutter((block) => this.#judge(block));
  #noise = 0;
  #held = 0;

  constructor(context: StreamContext, to: Writable) {
    this.#context = context;
    this.#to = to;
  }

  /** Sends messages of ours; false when nobody hears them any more. */
  say(messages: readonly unknown[]): boolean {
    if (!this.#to.writable) return false;
    for (const message of messages) this.#to.write(writeBlock({ event: 'message', data: JSON.stringify(message) }));
    return true;
  }

  /** The next bytes of the server. Throws for an event that is too long. */
  take(chunk: Buffer): void {
    const fits = this.#cutter.push(chunk);
    if (fits && this.#hold(this.#cutter.held)) return;
    this.#context.scene.unjudged('', 'an event of the server is too long to be read');
    throw new Error('An event is too long.');
  }

  end(): void {
    const { rules } = this.#context.scene;
    const rest = this.#cutter.end();
    // The standard discards it; not every reader does.
    if (rest.length > 0 && !(rules.enabled && rules.failsClosed)) this.#to.write(rest);
    this.#to.end();
  }

  /** Gives back the room that it takes. */
  close(): void {
    this.#hold(0);
  }

  /** Makes the room that is taken what it has to be. */
  #hold(bytes: number): boolean {
    const { budget } = this.#context;
    if (bytes > this.#held && !budget.take(bytes - this.#held)) return false;
    if (bytes < this.#held) budget.give(this.#held - bytes);
    this.#held = bytes;
    return true;
  }

  #judge(bytes: Buffer): void {
    const { scene } = this.#context;
    const block = readBlock(bytes);
    if (!scene.rules.enabled) this.#glance(block);
    const passed = scene.rules.enabled ? this.#judged(bytes, block) : bytes;
    if (passed !== undefined && this.#to.writable) this.#to.write(passed);
  }

  /** Without rules: only what a later policy must know. */
  #glance(block: EventBlock | undefined): void {
    const { scene } = this.#context;
    if (block?.data === undefined) return;
    if (block.event === 'endpoint') this.#context.addressed(block.data);
    else if (scene.server === undefined) learn(scene, block.data);
  }

  #judged(bytes: Buffer, block: EventBlock | undefined): Buffer | undefined {
    const { scene } = this.#context;
    if (block === undefined) {
      return scene.unjudged('', 'an event of the server is not UTF-8') === undefined ? bytes : undefined;
    }
    // Reading the same everywhere costs nothing but bytes; an observing gateway changes none.
    const asIs = (): Buffer | undefined => {
      if (block.plain || scene.rules.mode === 'observe') return bytes;
      return block.data === undefined ? undefined : writeBlock(block);
    };
    if (block.data === undefined || block.data === '') return asIs();
    if (block.event === 'endpoint') {
      if (this.#context.addressed(block.data)) return asIs();
      return scene.unjudged('', 'the server sends the client to another place') === undefined ? bytes : undefined;
    }
    const reading = readText(block.data);
    if (reading.kind !== 'messages') return this.#heard(bytes, block);
    const { untouched, passed, answers } = judgeMessages(scene, reading, 'to-client');
    if (answers.length > 0) this.#context.answer(answers);
    if (untouched) return asIs();
    return passed.length === 0 ? idAlone(block) : writeBlock({ ...block, data: written(passed, reading.batch) });
  }

  #heard(bytes: Buffer, block: EventBlock): Buffer | undefined {
    const { scene } = this.#context;
    if (!scene.rules.failsClosed) return bytes;
    this.#noise += 1;
    if (Number.isInteger(Math.log2(this.#noise))) scene.noise(this.#noise);
    return idAlone(block);
  }
}

/** What does not pass leaves its id behind: a client that comes back names it. */
const idAlone = ({ id }: EventBlock): Buffer | undefined => (id === undefined ? undefined : writeBlock({ id }));

/** Learns the server's name from a text that nobody judges. */
export function learn({ facts }: Scene, text: string): void {
  const reading = readText(text);
  for (const message of reading.kind === 'messages' ? reading.messages : []) {
    const result = message.kind === 'answer' ? message.object['result'] : undefined;
    if (isObject(result)) facts.learn(result, true);
  }
}
