import { IdScan, type ScannedMessage } from '../id-scan.ts';
import { lineEnds } from './blocks.ts';

const CR = 13;
const DATA = 'data:';
const ID = 'id:';
/** Longest line besides the data that is looked at, bytes. */
const MAX_FIELD = 1024;

/** An event that is too long to be held: what has to be known of it to say something in its place. */
export class LongEvent {
  readonly #scan = new IdScan();
  /** The beginning of a line, while it is not one of data. */
  #field = '';
  #inData = false;
  #id: string | undefined;

  /** Takes the next bytes. */
  push(bytes: Buffer): void {
    let from = 0;
    const ended = (end: number, next: number): void => {
      this.#part(bytes.subarray(from, end));
      this.#lineEnded();
      from = next;
    };
    for (const [end, next] of lineEnds(bytes, 0)) ended(end, next);
    // A line feed that comes after it ends an empty line, which means nothing.
    if (bytes.at(-1) === CR && from < bytes.length) ended(bytes.length - 1, bytes.length);
    this.#part(bytes.subarray(from));
  }

  get messages(): readonly ScannedMessage[] {
    return this.#scan.messages;
  }

  /** The event's own id, which a client that comes back names. */
  get id(): string | undefined {
    return this.#id;
  }

  #part(part: Buffer): void {
    if (this.#inData) return this.#scan.push(part);
    const taken = part.subarray(0, MAX_FIELD - this.#field.length);
    this.#field += taken.toString('latin1');
    if (!this.#field.startsWith(DATA)) return;
    this.#inData = true;
    this.#scan.push(Buffer.from(this.#field.slice(DATA.length), 'latin1'));
    this.#scan.push(part.subarray(taken.length));
  }

  #lineEnded(): void {
    const field = this.#field;
    if (!this.#inData && field.startsWith(ID) && field.length < MAX_FIELD) {
      this.#id = Buffer.from(field.slice(ID.length).replace(/^ /, ''), 'latin1').toString('utf8');
    }
    this.#field = '';
    this.#inData = false;
  }
}
