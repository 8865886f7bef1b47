import type { JsonObject } from '../../../../src/core/json.ts';
import type { McpSide } from '../../../../src/policy/decide/mcp-rules.ts';
import type { Finding } from '../../../../src/policy/mcp/denial.ts';
import type { Kind } from '../../../../src/policy/mcp/methods.ts';

export type { Finding };

/** Which end of a conversation decides. */
export type Side = McpSide;

/** One entry of an MCP server. */
export interface Target {
  readonly side: Side;
  readonly kind: Kind | 'methods';
  /** The server's own name; `undefined` until it has said it. */
  readonly server: string | undefined;
  /** Tool or prompt name, resource URI or URI template; the method of a request or notification. */
  readonly name: string;
}

/** What patterns found in arguments or in a result; `redacted` is what to pass on instead. */
export interface ContentVerdict {
  readonly findings: readonly Finding[];
  readonly redacted?: unknown;
}

/** How a client reaches a server. */
export type Connect =
  | { readonly transport: 'stdio'; readonly command: string; readonly args: readonly string[] }
  | { readonly transport: 'http' | 'sse'; readonly url: string; readonly authenticated: boolean };

/** What the policy in force says about one target, whatever is asked of it. One object per target and policy. */
export interface Known {
  readonly target: Target;
  /** The deny and allow lists: the same answer for a listing and for a call. */
  readonly finding: Finding | undefined;
  /** Whether patterns look at arguments and at results. */
  readonly inspects: { readonly arguments: boolean; readonly responses: boolean };
}

/** Decisions of the policy in force: pure, local, no I/O. What it is made of: decide.ts. */
export interface Decider {
  readonly generation: number;
  /** Whether anything of this side is to be watched at all. */
  watches(side: Side): boolean;
  /** Whether what can't be judged is refused. */
  failsClosed(side: Side): boolean;
  /** What is known of a target. */
  about(side: Side, kind: Target['kind'], server: string | undefined, name: string): Known;
  /** Whether there are rules on methods; without them nobody asks about one. */
  rulesMethods(side: Side): boolean;
  /** A tool that is not what was listed first. */
  changed(target: Target): Finding | undefined;
  /** Argument and response patterns. */
  content(target: Target, part: 'arguments' | 'responses', value: unknown): ContentVerdict;
  /** `http_servers` and `stdio_servers`. */
  connection(to: Connect): Finding | undefined;
  /** `llm.redact` applied to content that is about to leave the process in an event. */
  redact(content: JsonObject): JsonObject;
}
