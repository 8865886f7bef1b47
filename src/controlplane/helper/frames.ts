import { UcpError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';

const LENGTH_BYTES = 4;
/** Longest message in either direction, bytes: the helpers' own bound. */
export const MAX_FRAME = 4 << 20;

/** A message as it travels: its length in 4 bytes, big-endian, then JSON. Throws HELPER_REFUSED when it is too long. */
export function frame(message: JsonObject): Buffer {
  const json = Buffer.from(JSON.stringify(message));
  if (json.length > MAX_FRAME) {
    throw new UcpError('HELPER_REFUSED', `A request has ${json.length} bytes; the helper takes ${MAX_FRAME}.`);
  }
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(json.length);
  return Buffer.concat([length, json]);
}

/** Puts chunks together to messages; `broken` is called once, for what is no message, and nothing after it. */
export function frameReader(take: (message: JsonObject) => void, broken: (why: string) => void): (c: Buffer) => void {
  let chunks: Buffer[] = [];
  let have = 0;
  let dead = false;
  const fail = (why: string): void => {
    dead = true;
    chunks = [];
    broken(why);
  };
  const next = (buffer: Buffer): Buffer | undefined => {
    if (buffer.length < LENGTH_BYTES) return undefined;
    const end = LENGTH_BYTES + buffer.readUInt32BE();
    if (end > LENGTH_BYTES + MAX_FRAME) fail(`a message of ${end} bytes`);
    return dead || buffer.length < end ? undefined : buffer.subarray(LENGTH_BYTES, end);
  };
  return (chunk) => {
    if (dead) return;
    chunks.push(chunk);
    have += chunk.length;
    if (have < LENGTH_BYTES) return;
    let buffer = Buffer.concat(chunks);
    for (let json = next(buffer); json !== undefined; json = dead ? undefined : next(buffer)) {
      buffer = buffer.subarray(LENGTH_BYTES + json.length);
      const message = parse(json);
      if (message === undefined) fail('a message that is no JSON object');
      else take(message);
    }
    if (dead) return;
    chunks = [buffer];
    have = buffer.length;
  };
}

function parse(json: Buffer): JsonObject | undefined {
  try {
    const message: JsonObject | null | unknown[] = JSON.parse(json.toString('utf8'));
    return typeof message === 'object' && message !== null && !Array.isArray(message) ? message : undefined;
  } catch {
    return undefined;
  }
}
