import type { ErrorCode } from '../../core/error-codes/index.ts';
import { type Problem } from './problem.ts';

/** Largest policy document, bytes. */
export const MAX_POLICY_BYTES = 8 * 1024 * 1024;

/** Deepest nesting of objects and arrays. */
const MAX_DEPTH = 64;

const [QUOTE, BACKSLASH, NEWLINE] = [0x22, 0x5c, 0x0a];
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/**
 * The text of a document, or what keeps it from being read at all. Nothing is parsed yet: size and depth are bounded
 * first, so that no parser meets a document that could exhaust it.
 */
export function decode(bytes: Uint8Array, maxBytes = MAX_POLICY_BYTES): { text: string } | { problem: Problem } {
  const bound = Math.min(maxBytes, MAX_POLICY_BYTES);
  if (bytes.length > bound) {
    return fail('POLICY_TOO_LARGE', `expected at most ${bound} bytes, got ${bytes.length}`);
  }
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return fail('POLICY_BOM', 'expected JSON, got a byte order mark; save the file as UTF-8 without one');
  }
  const deep = tooDeepAt(bytes);
  if (deep !== undefined) {
    return fail('POLICY_TOO_DEEP', `expected at most ${MAX_DEPTH} levels of objects and arrays`, placeOf(bytes, deep));
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return fail(
      'POLICY_NOT_UTF8',
      'expected UTF-8; the bytes from here on are not',
      placeOf(bytes, validPrefix(bytes)),
    );
  }
}

function fail(code: ErrorCode, message: string, place = { line: 1, column: 1 }): { problem: Problem } {
  return { problem: { code, pointer: '', ...place, message } };
}

/** Offset of the first bracket that is too deep, undefined when there is none. */
function tooDeepAt(bytes: Uint8Array): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) inString = !inString;
    else if (inString) at += byte === BACKSLASH ? 1 : 0;
    else if (OPENING.has(byte)) depth += 1;
    else if (CLOSING.has(byte)) depth -= 1;
    if (depth > MAX_DEPTH) return at;
  }
  return undefined;
}

/** Length of the longest prefix that is UTF-8, found by halving. */
function validPrefix(bytes: Uint8Array): number {
  let [low, high] = [0, bytes.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    // A streaming decoder accepts a prefix that ends inside a character.
    const valid = isPrefix(bytes.subarray(0, middle));
    if (valid) low = middle;
    else high = middle - 1;
  }
  return low;
}

function isPrefix(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function placeOf(bytes: Uint8Array, offset: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let at = 0; at < offset; at += 1) {
    if (bytes[at] === NEWLINE) {
      line += 1;
      start = at + 1;
    }
  }
  return { line, column: new TextDecoder().decode(bytes.subarray(start, offset), { stream: true }).length + 1 };
}
