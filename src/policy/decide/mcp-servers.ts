import type { Mode } from '../schema/inherit.ts';
import type { HttpServers, AppMcp, StdioServers } from '../schema/mcp.ts';
import type { List } from '../glob/list.ts';
import { type Decision, permitted, pointer, quoted, violated } from './decision.ts';
import type { Engine } from './engine.ts';
import { canonicalUrl } from './uri.ts';

/** Rules on which servers may be reached or started. */
export interface CompiledServers {
  readonly mode: Mode;
  readonly at: string;
  readonly http: HttpServers | undefined;
  readonly httpExceptions: List;
  readonly stdio: StdioServers | undefined;
  /** One list per exception: each has arguments of its own. */
  readonly commands: readonly List[];
}

/** Prepares `http_servers` and `stdio_servers` of a section at the pointer `at`. */
export function compileServers(mode: Mode, mcp: AppMcp | undefined, at: string, engine: Engine): CompiledServers {
  return {
    mode,
    at,
    http: mcp?.http_servers,
    httpExceptions: engine.globs((mcp?.http_servers?.exception_list ?? []).map((url) => canonicalUrl(url) ?? url)),
    stdio: mcp?.stdio_servers,
    commands: (mcp?.stdio_servers?.exception_list ?? []).map(({ command }) => engine.globs([command])),
  };
}

/** A connection to a server over HTTP. */
export interface McpHttpQuery {
  readonly url: string;
  /** `sse`: the transport of protocol 2024-11-05, which opens with a GET; `http`: Streamable HTTP. */
  readonly transport: 'http' | 'sse';
  /** True when the request carries credentials: an Authorization header, a client certificate or an API key header. */
  readonly authenticated: boolean;
}

/**
 * Decides on a connection over HTTP. Exceptions are from `deny_http` and `deny_sse`, never from
 * `force_authentication`. A URL with a user before its host, or escapes in its host, matches no exception.
 */
export function decideMcpHttp(compiled: CompiledServers, query: McpHttpQuery): Decision {
  const { http, at } = compiled;
  const { enabled, mode } = compiled.mode;
  if (!enabled) return permitted('observe');
  const key = query.transport === 'sse' ? 'deny_sse' : 'deny_http';
  const url = canonicalUrl(query.url);
  const excepted = url !== undefined && compiled.httpExceptions.find(url) >= 0;
  const brief = `the connection to the MCP server at ${quoted(withoutSecrets(query.url))}`;
  if (http?.[key] === true && !excepted) {
    return violated(mode, {
      rule: at + pointer('http_servers', key),
      what: `${query.transport === 'sse' ? 'SSE' : 'HTTP'} connections to MCP servers are denied; ${quoted(withoutSecrets(query.url))} is no exception.`,
      brief,
      remedy: 'Add the URL to http_servers.exception_list to allow it.',
    });
  }
  if (http?.force_authentication !== true || query.authenticated) return permitted(mode);
  return violated(mode, {
    rule: at + pointer('http_servers', 'force_authentication'),
    what: `The connection to ${quoted(withoutSecrets(query.url))} carries no credentials.`,
    brief,
    remedy: 'Give the client credentials for the server.',
  });
}

/** User, query and fragment of a URL may be secrets: they are in no message. */
function withoutSecrets(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//');
}

/** A server started as a process. */
export interface McpStdioQuery {
  readonly command: string;
  readonly args: readonly string[];
}

/** Decides on starting a server: with `deny_stdio` only the listed combinations of command and arguments may run. */
export function decideMcpStdio(compiled: CompiledServers, query: McpStdioQuery): Decision {
  const { stdio, at } = compiled;
  const { enabled, mode } = compiled.mode;
  if (!enabled) return permitted('observe');
  if (stdio?.deny_stdio !== true) return permitted(mode);
  const listed = (stdio.exception_list ?? []).some(
    ({ args }, index) => (compiled.commands[index]?.find(query.command) ?? -1) >= 0 && argumentsMatch(args, query.args),
  );
  if (listed) return permitted(mode);
  return violated(mode, {
    rule: at + pointer('stdio_servers', 'deny_stdio'),
    what: `Starting MCP servers is denied; ${quoted(query.command)} with these ${query.args.length} arguments is no exception.`,
    brief: `starting the MCP server ${quoted(query.command)}`,
    remedy: 'Add command and arguments to stdio_servers.exception_list to allow it.',
  });
}

/** Exact arguments; `*` stands for any one, a last `**` for all that follow. */
function argumentsMatch(rule: readonly string[] | undefined, args: readonly string[]): boolean {
  if (rule === undefined) return true;
  const open = rule.at(-1) === '**';
  const fixed = open ? rule.slice(0, -1) : rule;
  if (open ? args.length < fixed.length : args.length !== fixed.length) return false;
  return fixed.every((expected, index) => expected === '*' || expected === args[index]);
}
