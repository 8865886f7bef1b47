import { UcpError } from '../../../core/errors.ts';
import type { RunRequest } from '../../../core/run-request.ts';
import { parseMcp, takePort, tokenDigest } from '../values/mcp.ts';
import { parsePort } from '../values/ports.ts';
import type { FlagValues } from './flag-values.ts';

/** What the flags say of an MCP server, and the ports that are published without the gateway. */
interface McpFlags {
  readonly mcp?: NonNullable<RunRequest['mcp']>;
  readonly ports: RunRequest['ports'];
}

/** Understands `--mcp`, `--mcp-token` and `--publish`, which belong together. Throws USAGE or FILE_UNREADABLE. */
export function mcpFlags(flags: FlagValues): McpFlags {
  const published = flags.all('publish').flatMap(parsePort);
  const mcp = flags.parsed('mcp', parseMcp);
  const token = flags.given({ token: flags.parsed('mcp-token', tokenDigest) });
  if (typeof mcp === 'number') {
    const { doors, ports } = takePort(mcp, published);
    return { mcp: { port: mcp, doors, ...token }, ports };
  }
  if (token.token !== undefined) {
    throw new UcpError('USAGE', '--mcp-token needs --mcp http:PORT or --serve: a client on stdin brings no token.');
  }
  return { ...(mcp === 'stdio' ? { mcp } : {}), ports: published };
}
