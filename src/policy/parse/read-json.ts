import { printParseErrorCode, visit } from 'jsonc-parser';

import type { JsonValue } from '../../core/json.ts';
import { type Path, type Problem, toPointer } from './problem.ts';

/** What a reader found: the value when the text is JSON, and every problem below the level of the schema. */
export interface ReadJson {
  readonly value: JsonValue | undefined;
  readonly problems: readonly Problem[];
}

/** Most problems that are collected: a document can't make a report without end. */
const MAX_PROBLEMS = 1000;

/** Code and message of what is wrong with a token. */
type Fault = readonly [code: Problem['code'], message: string];

/**
 * Reads JSON (RFC 8259) with what RFC 7493 adds: no duplicate keys, no numbers that lose precision, no lone
 * surrogates. `JSON.parse` is the judge of syntax and the maker of the value; the visitor sees what it hides, and where.
 */
export function readJson(text: string): ReadJson {
  const syntax: Problem[] = [];
  const problems: Problem[] = [];
  const keys: Set<string>[] = [];
  let ended = false;
  visit(
    text,
    {
      onObjectBegin: () => void keys.push(new Set()),
      onObjectEnd() {
        keys.pop();
        ended ||= keys.length === 0 && /^\s*\{/.test(text);
      },
      onObjectProperty(key, _offset, _length, line, column, path) {
        const faults = problems.length < MAX_PROBLEMS ? keyFaults(key, keys.at(-1)) : [];
        problems.push(...faults.map((fault) => at([...path(), key], fault, line, column)));
        keys.at(-1)?.add(key);
      },
      onLiteralValue(value: unknown, offset, length, line, column, path) {
        const fault = literalFault(value, () => text.slice(offset, offset + Math.min(length, 40)));
        if (fault !== undefined && problems.length < MAX_PROBLEMS) problems.push(at(path(), fault, line, column));
      },
      onError(error, offset, length, line, column) {
        const kind = ended ? 'EndOfFileExpected' : printParseErrorCode(error);
        const fault = syntaxFault(kind, text.slice(offset, offset + Math.min(length, 40)));
        syntax.push(at([], fault, line, column));
      },
    },
    { disallowComments: true, allowTrailingComma: false },
  );
  // What follows the first syntax error is guesswork.
  if (syntax[0] !== undefined) return { value: undefined, problems: [syntax[0]] };
  try {
    const value: JsonValue = JSON.parse(text);
    return { value, problems };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return { value: undefined, problems: [at([], ['POLICY_JSON', `not JSON: ${said}`], 0, 0)] };
  }
}

function at(path: Path, [code, message]: Fault, line: number, column: number): Problem {
  return { code, pointer: toPointer(path), line: line + 1, column: column + 1, message };
}

/** Half of a surrogate pair: JSON can spell it, UTF-8 can't, so other readers would see something else. */
const LONE_SURROGATE = /\p{Cs}/u;

function keyFaults(key: string, seen: ReadonlySet<string> | undefined): Fault[] {
  const faults: Fault[] = [];
  if (seen?.has(key) === true) {
    faults.push(['POLICY_DUPLICATE_KEY', `the key ${JSON.stringify(key)} is in this object a second time`]);
  }
  if (key === '__proto__') faults.push(['POLICY_FORBIDDEN_KEY', 'the key "__proto__" is not allowed']);
  if (LONE_SURROGATE.test(key)) faults.push(['POLICY_NOT_UTF8', 'the key spells half of a surrogate pair']);
  return faults;
}

function literalFault(value: unknown, source: () => string): Fault | undefined {
  if (typeof value === 'string' && LONE_SURROGATE.test(value)) {
    return ['POLICY_NOT_UTF8', 'the string spells half of a surrogate pair'];
  }
  if (typeof value !== 'number') return undefined;
  const lossy = !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value));
  return lossy ? ['POLICY_NUMBER', `the number ${source()} is too large to be read without loss`] : undefined;
}

/** `kind` is jsonc-parser's name of the error: `CommaExpected`, `EndOfFileExpected` … */
function syntaxFault(kind: string, source: string): Fault {
  const found = source === '' ? 'the end' : JSON.stringify(source);
  if (kind === 'EndOfFileExpected') {
    return ['POLICY_TRAILING_BYTES', `expected nothing after the document, got ${found}`];
  }
  const expected = /^(.*)Expected$/.exec(kind)?.[1];
  if (expected === undefined) return ['POLICY_JSON', `not JSON: ${words(kind)} at ${found}`];
  return ['POLICY_JSON', `not JSON: expected ${words(expected)}, got ${found}`];
}

const words = (camel: string): string => camel.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
