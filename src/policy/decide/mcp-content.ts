import type { JsonValue } from '../../core/json.ts';
import { type Decision, permitted, quoted, violated } from './decision.ts';
import { inspect, type ValueFinding } from './inspect.ts';
import type { CompiledMcp, McpNameQuery } from './mcp.ts';
import { rulesFor } from './mcp-rules.ts';

/** The arguments or the result of one call. */
export interface McpContentQuery extends McpNameQuery {
  readonly part: 'arguments' | 'responses';
  readonly value: JsonValue;
}

/** A decision on a value. */
export interface ContentDecision extends Decision {
  /** What goes on: the value as it came, or redacted. Not to be used when the call is refused. */
  readonly value: JsonValue;
  /** Every match: which rule, where in the value, which part of the text (spans only when redacting). */
  readonly findings: readonly ValueFinding[];
}

/**
 * Decides on arguments or on a result by the patterns of its rules. The rule that is named is the first in the policy that
 * matches anywhere; with `action: redact` in enforce mode all matches of all rules are replaced, unless one is
 * in a key, which can't be replaced without changing what is called: then the call is refused.
 */
export function decideMcpContent(compiled: CompiledMcp, query: McpContentQuery): ContentDecision {
  const side = compiled[query.side];
  const { enabled, mode } = side.mode;
  const patterns = enabled ? rulesFor(side, query.kind, query.server)?.[query.part] : undefined;
  const untouched = { value: query.value, findings: [] };
  if (patterns === undefined) return { ...permitted(enabled ? mode : 'observe'), ...untouched };
  const { findings, redacted } = inspect(patterns, query.value);
  const first = firstRule(findings);
  if (first === undefined) return { ...permitted(mode), ...untouched };
  const part = query.part === 'arguments' ? 'arguments' : 'result';
  const decision = violated(mode, {
    rule: first.rule,
    what: `The ${part} of ${query.kind} ${quoted(query.name)} match ${quoted(first.name)}.`,
    brief: `what is in the ${part} of the ${query.kind} ${quoted(query.name)}`,
    remedy: 'Change the text, or the rule if the text is meant to pass.',
  });
  const redacts = mode === 'enforce' && patterns.action === 'redact' && !findings.some(({ key }) => key);
  if (!redacts) return { ...decision, ...untouched, findings };
  return {
    ...decision,
    allowed: true,
    action: 'redacted',
    message: decision.message.replace('Blocked by', 'Redacted by'),
    modelMessage: `Operator policy replaced parts of the ${part} by [redacted:…]. Do not try to obtain them another way.`,
    value: redacted,
    findings,
  };
}

/** Keys have no order that all languages agree on, rules have. */
function firstRule(findings: readonly ValueFinding[]): ValueFinding | undefined {
  const lowest = Math.min(...findings.map(({ rank }) => rank));
  return findings.find(({ rank }) => rank === lowest);
}
