import type { Writable } from 'node:stream';

import { isObject } from '../../../policy/mcp/wire.ts';
import { answersTooLong, judgeMessages, written } from '../judge.ts';
import { MAX_MESSAGE } from '../lines.ts';
import { readText } from '../read-line.ts';
import type { Refusal, Scene } from '../scene.ts';
import type { Budget } from './body.ts';
import { BlockCutter, type EventBlock, readBlock, writeBlock } from './blocks.ts';
import type { Carrier } from './carry.ts';
import { LongEvent } from './long-event.ts';

/** Longest event that is kept to learn a server's name from where nothing is judged, bytes. */
const MAX_GLANCE = 64 * 1024;

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
  readonly #cutter = new BlockCutter({
    block: (bytes) => this.#judge(bytes),
    room: (bytes) => this.#room(bytes),
    tooLong: (bytes, first, last) => this.#tooLong(bytes, first, last),
  });
  /** The event too long to be judged that is coming, where it may not pass. */
  #long: { readonly event: LongEvent; readonly refusal: Refusal } | undefined;
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

  /** The next bytes of the server. */
  take(chunk: Buffer): void {
    this.#cutter.push(chunk);
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

  #room(bytes: number): boolean {
    return bytes <= (this.#context.scene.rules.enabled ? MAX_MESSAGE : MAX_GLANCE) && this.#hold(bytes);
  }

  /** Passes what may pass unread; else keeps it back and answers whoever waits for it, or asks in it. */
  #tooLong(bytes: Buffer, first: boolean, last: boolean): void {
    const { scene } = this.#context;
    if (first) {
      const { enabled } = scene.rules;
      const refusal = enabled ? scene.unjudged('', 'an event of the server is too long to be read') : undefined;
      this.#long = refusal === undefined ? undefined : { event: new LongEvent(), refusal };
    }
    if (this.#long === undefined) return void (this.#to.writable && this.#to.write(bytes));
    const { event, refusal } = this.#long;
    event.push(bytes);
    if (!last) return;
    this.#long = undefined;
    const { toServer, toClient } = answersTooLong(scene, event.messages, refusal, 'to-client');
    if (toServer.length > 0) this.#context.answer(toServer);
    this.say(toClient);
    const left = idAlone(event);
    if (left !== undefined && this.#to.writable) this.#to.write(left);
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
const idAlone = ({ id }: Pick<EventBlock, 'id'>): Buffer | undefined =>
  id === undefined ? undefined : writeBlock({ id });

/** Learns the server's name from a text that nobody judges. */
export function learn({ facts }: Scene, text: string): void {
  const reading = readText(text);
  for (const message of reading.kind === 'messages' ? reading.messages : []) {
    const result = message.kind === 'answer' ? message.object['result'] : undefined;
    if (isObject(result)) facts.learn(result, true);
  }
}
