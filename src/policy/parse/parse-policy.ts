import type { JsonObject, JsonValue } from '../../core/json.ts';
import { type Decision, normalise } from '../normalise/normalise.ts';
import { Policy } from '../schema/policy.ts';
import { decode } from './bytes.ts';
import { contradictions } from './contradictions.ts';
import { schemaFindings } from './issues.ts';
import { locator } from './locate.ts';
import { describeProblem, type Finding, policyInvalid, type Problem, toPointer } from './problem.ts';
import { readJson } from './read-json.ts';

/** All that reading a document found out. */
export interface Inspection {
  /** Present when there are no problems. */
  readonly policy?: Policy;
  readonly problems: readonly Problem[];
  /** What the normaliser did to a document in another layout; empty for canonical ones. */
  readonly decisions: readonly Decision[];
  /** The document in the canonical layout, before validation, `x-` keys included. */
  readonly canonical?: JsonValue;
}

export interface ParseOptions {
  /** Bound on the document's size; never above 8 MiB. */
  readonly maxBytes?: number;
  /** Stands in for what the document does not say about itself. */
  readonly head?: { readonly policy_id?: string | undefined; readonly version?: number | undefined } | undefined;
}

/** Most problems of each kind of reading (syntax, schema) that are reported: a document can't make a report without end. */
const MAX_PROBLEMS = 1000;

/** Reads, normalises and validates a document and reports every problem at once; never throws for what the bytes say. */
export function inspectPolicy(bytes: Uint8Array, options: ParseOptions = {}): Inspection {
  const decoded = decode(bytes, options.maxBytes);
  if ('problem' in decoded) return { problems: [decoded.problem], decisions: [] };
  const read = readJson(decoded.text);
  if (read.value === undefined) return { problems: read.problems, decisions: [] };
  const normalised = normalise(read.value);
  const { decisions, findings } = normalised;
  const canonical = withHead(normalised.canonical, options.head);
  const judged = Policy.safeParse(canonical);
  const later = judged.success
    ? contradictions(judged.data)
    : schemaFindings(canonical, judged.error.issues, MAX_PROBLEMS);
  const inSource = later.map((finding) => ({ ...finding, path: normalised.sourceOf(finding.path) }));
  const problems = inOrder([...read.problems, ...place(decoded.text, [...findings, ...inSource])]);
  if (problems.length > 0 || !judged.success) return { problems, decisions, canonical };
  return { policy: judged.data, problems, decisions, canonical };
}

/**
 * The policy that `bytes` are, in the canonical layout. Throws POLICY_INVALID with every problem in
 * `details.problems`.
 */
export function parsePolicy(bytes: Uint8Array, options: ParseOptions = {}): Policy {
  const { policy, problems } = inspectPolicy(bytes, options);
  if (policy === undefined) throw policyInvalid(problems);
  return policy;
}

function place(text: string, findings: readonly Finding[]): Problem[] {
  if (findings.length === 0) return [];
  const locate = locator(text);
  return findings
    .slice(0, MAX_PROBLEMS)
    .map(({ path, atKey, ...finding }) => ({ ...finding, pointer: toPointer(path), ...locate(path, atKey) }));
}

/** By place, each once: a section that the normaliser copied would say everything twice. */
function inOrder(problems: readonly Problem[]): Problem[] {
  const once = new Map(problems.map((problem) => [describeProblem(problem), problem]));
  return [...once.values()].sort((a, b) => a.line - b.line || a.column - b.column);
}

function withHead(document: JsonValue, head: ParseOptions['head']): JsonValue {
  if (head === undefined || !isObject(document)) return document;
  const given = Object.entries(head).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), ...document };
}

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
