import type { JsonObject } from '../../../../src/core/json.ts';
import { isObject, type WireObject } from '../mcp/wire.ts';
import { answersOf, responseAttributes } from './describe.ts';
import { Answers } from './join.ts';

/** Bytes of a plain answer, and of one line of a stream, that are kept for the event. */
const MAX_KEPT = 1024 * 1024;

/** What an event says of an answer. */
export interface Heard {
  readonly answers: readonly JsonObject[];
  readonly attributes: JsonObject;
}

/** Takes the bytes of an answer as they pass, and says at its end what they were. */
export interface Ear {
  take(bytes: Uint8Array): void;
  end(): Heard;
}

/** What hears an answer of this content type. */
export function earFor(contentType: string): Ear {
  return contentType.includes('event-stream') ? new StreamEar() : new PlainEar();
}

/** One JSON object; one that is longer than what is kept says nothing. */
class PlainEar implements Ear {
  readonly #kept: Uint8Array[] = [];
  #size = 0;

  take(bytes: Uint8Array): void {
    this.#size += bytes.byteLength;
    if (this.#size <= MAX_KEPT) this.#kept.push(bytes.slice());
    else this.#kept.length = 0;
  }

  end(): Heard {
    const message = parsed(Buffer.concat(this.#kept).toString('utf8'));
    if (message === undefined) return { answers: [], attributes: {} };
    const answer = answersOf(message);
    return {
      answers: Object.keys(answer).length === 0 ? [] : [answer],
      attributes: responseAttributes([message]),
    };
  }
}

/**
 * The `data:` lines of an event stream, each read when it is whole and forgotten: what the pieces say is joined (a
 * secret may be split over two of them), and what comes last (usage, why it ended) is heard however long the answer is.
 */
class StreamEar implements Ear {
  readonly #decoder = new TextDecoder();
  readonly #answers = new Answers();
  #line: string[] = [];
  #length = 0;
  #attributes: JsonObject = {};

  take(bytes: Uint8Array): void {
    this.#text(this.#decoder.decode(bytes, { stream: true }));
  }

  end(): Heard {
    this.#text(`${this.#decoder.decode()}\n`);
    return { answers: this.#answers.joined(), attributes: this.#attributes };
  }

  #text(text: string): void {
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.#keep(text.slice(from, end));
      const line = this.#length > MAX_KEPT ? '' : this.#line.join('');
      this.#line = [];
      this.#length = 0;
      from = end + 1;
      this.#whole(line);
    }
    if (from < text.length) this.#keep(text.slice(from));
  }

  #keep(part: string): void {
    this.#length += part.length;
    if (this.#length <= MAX_KEPT) this.#line.push(part);
    else this.#line.length = 0;
  }

  #whole(line: string): void {
    if (!line.startsWith('data:')) return;
    const message = parsed(line.slice('data:'.length));
    if (message === undefined) return;
    this.#answers.add(message);
    this.#attributes = merged(this.#attributes, responseAttributes([message]));
  }
}

/** Later words of a stream win; reasons to end come one by one. */
function merged(before: JsonObject, now: JsonObject): JsonObject {
  const key = 'gen_ai.response.finish_reasons';
  const [first, second] = [before[key], now[key]];
  const both: JsonObject = Array.isArray(first) && Array.isArray(second) ? { [key]: [...first, ...second] } : {};
  return { ...before, ...now, ...both };
}

/** A stream's `[DONE]` and a cut last line are no objects. */
function parsed(text: string): WireObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
