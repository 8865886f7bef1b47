import type { Socket } from 'node:net';

import { until } from '../helpers/docker.ts';

/** A message of the helper: an answer to a request, or an event. */
export type Message = Readonly<Record<string, unknown>>;

/** The control plane's end of the helper's socket: length-prefixed JSON. */
export class KernelConnection {
  readonly events: Message[] = [];
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #waiting = new Map<unknown, (answer: Message) => void>();
  #buffer = Buffer.alloc(0);
  #next = 1;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.closed = new Promise((done) => socket.once('close', () => done()));
    socket.on('error', () => {});
    socket.on('data', (chunk) => this.#take(chunk));
  }

  /** Sends a request and resolves to its answer, also when that is a refusal. */
  ask(request: Message): Promise<Message> {
    const id = this.#next++;
    const answer = new Promise<Message>((done) => this.#waiting.set(id, done));
    this.send(Buffer.from(JSON.stringify({ id, ...request })));
    return answer;
  }

  /** The answer to a request that must not be refused. */
  async accepted(request: Message): Promise<Message> {
    const answer = await this.ask(request);
    if (answer['ok'] !== true) throw new Error(`refused: ${JSON.stringify(answer)}`);
    return answer;
  }

  /** The answer to bytes that are no request of ours: it has no id. */
  askRaw(bytes: Buffer): Promise<Message> {
    const answer = new Promise<Message>((done) => this.#waiting.set(null, done));
    this.send(bytes);
    return answer;
  }

  send(bytes: Buffer): void {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    this.#socket.write(Buffer.concat([length, bytes]));
  }

  /** Resolves to the first event that has these values. */
  async event(wanted: Message): Promise<Message> {
    const matches = (event: Message): boolean => Object.entries(wanted).every(([key, value]) => event[key] === value);
    await until(`an event with ${JSON.stringify(wanted)}, there are ${JSON.stringify(this.events)}`, () =>
      this.events.some(matches),
    );
    return this.events.find(matches) ?? {};
  }

  /** Reads nothing more until `work` is done. */
  async withoutReading(work: () => Promise<void>): Promise<void> {
    this.#socket.pause();
    try {
      await work();
    } finally {
      this.#socket.resume();
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    while (this.#buffer.length >= 4) {
      const end = 4 + this.#buffer.readUInt32BE();
      if (this.#buffer.length < end) return;
      const message = JSON.parse(this.#buffer.subarray(4, end).toString()) as Message;
      this.#buffer = this.#buffer.subarray(end);
      if ('id' in message) this.#answer(message);
      else this.events.push(message);
    }
  }

  #answer(message: Message): void {
    this.#waiting.get(message['id'])?.(message);
    this.#waiting.delete(message['id']);
  }
}
