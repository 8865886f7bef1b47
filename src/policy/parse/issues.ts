import type { z } from 'zod';

import type { ErrorCode } from '../../core/error-codes/index.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import { Policy } from '../schema/policy.ts';
import { knownKeys } from '../schema/known-keys.ts';
import { nearest } from './nearest.ts';
import type { Finding, Path } from './problem.ts';

type Issue = z.core.$ZodIssue;

/** Codes of the leaf types in schema/text.ts, by their format. */
const KINDS: Readonly<Record<string, ErrorCode>> = {
  glob: 'POLICY_GLOB',
  'path-glob': 'POLICY_GLOB',
  regex: 'POLICY_REGEX',
  cidr: 'POLICY_ADDRESS',
  destination: 'POLICY_ADDRESS',
  port: 'POLICY_PORT',
};

/** What the schema says against `value`, in our words, `max` findings at most; empty when it is a policy. */
export function schemaFindings(value: JsonValue, issues: readonly Issue[], max: number): Finding[] {
  const findings: Finding[] = [];
  for (const issue of issues) {
    findings.push(...toFindings(value, issue, max - findings.length));
    if (findings.length >= max) break;
  }
  return findings;
}

function toFindings(root: JsonValue, issue: Issue, max: number): Finding[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(Policy, path);
    return issue.keys.slice(0, max).map((key) => unknownKey([...path, key], known));
  }
  return [toFinding(issue, path, valueAt(root, path))];
}

function toFinding(
  issue: Exclude<Issue, { code: 'unrecognized_keys' }>,
  path: Path,
  got: JsonValue | undefined,
): Finding {
  // eslint-disable-next-line typescript/switch-exhaustiveness-check
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(path, issue.expected, got);
    case 'invalid_union':
      return wrongType(path, unionOf(issue), got);
    case 'invalid_value':
      return wrongValue(path, issue, got);
    case 'invalid_key':
      return wrongKey(path, issue);
    case 'custom':
      return refined(path, issue);
    case 'too_small':
    case 'too_big':
      return outOfBounds(path, issue, got);
    default:
      // invalid_format, and what the schema has no use for.
      return { code: 'POLICY_VALUE', path, message: `${issue.message}, got ${show(got)}` };
  }
}

function wrongKey(path: Path, issue: Issue & { code: 'invalid_key' }): Finding {
  const message = issue.issues[0]?.message ?? 'expected another name';
  return { code: 'POLICY_VALUE', path, atKey: true, message: `${message}, got ${show(String(path.at(-1)))}` };
}

/** What a leaf type of schema/text.ts found wrong; it says how. */
function refined(path: Path, issue: Issue & { code: 'custom' }): Finding {
  return { code: KINDS[String(issue.params?.['kind'])] ?? 'POLICY_VALUE', path, message: issue.message };
}

function unknownKey(path: Path, known: readonly string[]): Finding {
  const name = String(path.at(-1));
  const near = nearest(name, known);
  const hint = near === undefined ? `known here: ${known.join(', ')}` : `did you mean "${near}"?`;
  return {
    code: 'POLICY_UNKNOWN_KEY',
    path,
    atKey: true,
    message: `unknown key ${show(name)}; ${hint}`,
    ...(near === undefined ? {} : { nearest: near }),
  };
}

function wrongType(path: Path, expected: string, got: JsonValue | undefined): Finding {
  if (got === undefined) {
    return {
      code: 'POLICY_MISSING_KEY',
      path,
      message: `the key ${show(String(path.at(-1)))} is missing; expected ${article(expected)}`,
    };
  }
  const isPort = path[0] === 'network' && path.at(-2) === 'ports';
  return {
    code: isPort ? 'POLICY_PORT' : 'POLICY_TYPE',
    path,
    message: `expected ${article(expected)}, got ${show(got)}`,
  };
}

function unionOf(issue: Issue & { code: 'invalid_union' }): string {
  if (issue.message.startsWith('expected ')) return issue.message.slice('expected '.length);
  const expected = issue.errors.flat().map((inner) => (inner.code === 'invalid_type' ? inner.expected : inner.message));
  return [...new Set(expected)].join(' or ');
}

function wrongValue(path: Path, issue: Issue & { code: 'invalid_value' }, got: JsonValue | undefined): Finding {
  const known = issue.values.map(String);
  const near = typeof got === 'string' ? nearest(got, known) : undefined;
  const hint = near === undefined ? '' : `; did you mean "${near}"?`;
  const expected = issue.message.startsWith('expected')
    ? issue.message
    : `expected ${issue.values.map((value) => show(String(value))).join(' or ')}`;
  return {
    code: 'POLICY_VALUE',
    path,
    message: `${expected}, got ${show(got)}${hint}`,
    ...(near === undefined ? {} : { nearest: near }),
  };
}

function outOfBounds(
  path: Path,
  issue: Issue & { code: 'too_small' | 'too_big' },
  got: JsonValue | undefined,
): Finding {
  const isPort = path[0] === 'network' && path.at(-2) === 'ports';
  const bound =
    issue.code === 'too_small'
      ? `${issue.inclusive === true ? 'at least' : 'more than'} ${issue.minimum}`
      : `at most ${issue.maximum}`;
  const unit = issue.origin === 'string' ? ' characters' : issue.origin === 'array' ? ' entries' : '';
  return { code: isPort ? 'POLICY_PORT' : 'POLICY_VALUE', path, message: `expected ${bound}${unit}, got ${show(got)}` };
}

const isContainer = (value: JsonValue | undefined): value is JsonObject => typeof value === 'object' && value !== null;

/** The value at `path`, undefined when there is none. */
function valueAt(root: JsonValue, path: Path): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const part of path) {
    if (!isContainer(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
}

const NAMES: Readonly<Record<string, string>> = {
  record: 'an object',
  object: 'an object',
  array: 'an array',
  int: 'a whole number',
};

const article = (type: string): string =>
  NAMES[type] ?? (type.startsWith('a ') || type.includes(' ') ? type : `a ${type}`);

/** A value as a message shows it: short. */
function show(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 77)}…"` : text;
}
