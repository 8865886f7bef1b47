import { join } from 'node:path';

import type { JsonObject } from '../../core/json.ts';
import type { Editor } from './editor.ts';
import { JsonEditor } from './json-editor.ts';
import { TomlEditor } from './toml-editor.ts';

/** Where a user's files are. */
export interface Places {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** How a client starts a server. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

/** An MCP client: where it keeps its servers, and in which form. */
export interface Client {
  readonly id: string;
  readonly title: string;
  /** Its file for all projects of a user. */
  user(places: Places): string;
  /** Its file in a project's directory, where it has one. */
  readonly project?: string;
  /** The key that holds its servers. */
  readonly container: string;
  readonly editor: Editor;
  entry(launch: Launch): JsonObject;
}

const plain = ({ command, args }: Launch): JsonObject => ({ command, args: [...args] });
const typed = (launch: Launch): JsonObject => ({ type: 'stdio', ...plain(launch) });

function config({ env, home }: Places, ...path: readonly string[]): string {
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), ...path);
}

/** Every client that is known, in alphabetical order. */
export const CLIENTS: readonly Client[] = [
  {
    id: 'claude-code',
    title: 'Claude Code',
    user: ({ env, home }) => join(env['CLAUDE_CONFIG_DIR'] || home, '.claude.json'),
    project: '.mcp.json',
    container: 'mcpServers',
    editor: new JsonEditor('mcpServers', { comments: false }),
    entry: typed,
  },
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    user: (places) => config(places, 'Claude/claude_desktop_config.json'),
    container: 'mcpServers',
    editor: new JsonEditor('mcpServers', { comments: false }),
    entry: plain,
  },
  {
    id: 'codex',
    title: 'Codex',
    user: ({ env, home }) => join(env['CODEX_HOME'] || join(home, '.codex'), 'config.toml'),
    project: '.codex/config.toml',
    container: 'mcp_servers',
    editor: new TomlEditor('mcp_servers'),
    entry: plain,
  },
  {
    id: 'cursor',
    title: 'Cursor',
    user: ({ home }) => join(home, '.cursor/mcp.json'),
    project: '.cursor/mcp.json',
    container: 'mcpServers',
    editor: new JsonEditor('mcpServers', { comments: true }),
    entry: typed,
  },
  {
    id: 'gemini',
    title: 'Gemini CLI',
    user: ({ home }) => join(home, '.gemini/settings.json'),
    project: '.gemini/settings.json',
    container: 'mcpServers',
    editor: new JsonEditor('mcpServers', { comments: true }),
    entry: plain,
  },
  {
    id: 'vscode',
    title: 'VS Code',
    user: (places) => config(places, 'Code/User/mcp.json'),
    project: '.vscode/mcp.json',
    container: 'servers',
    editor: new JsonEditor('servers', { comments: true }),
    entry: typed,
  },
  {
    id: 'windsurf',
    title: 'Windsurf',
    user: ({ home }) => join(home, '.codeium/windsurf/mcp_config.json'),
    container: 'mcpServers',
    editor: new JsonEditor('mcpServers', { comments: false }),
    entry: plain,
  },
  {
    id: 'zed',
    title: 'Zed',
    user: (places) => config(places, 'zed/settings.json'),
    project: '.zed/settings.json',
    container: 'context_servers',
    editor: new JsonEditor('context_servers', { comments: true }),
    entry: (launch) => ({ source: 'custom', ...plain(launch), env: {} }),
  },
];

/** The named server that an entry starts through ucp-sandbox; undefined when it starts something else. */
export function sandboxedServer(entry: JsonObject): string | undefined {
  const { command, args } = entry;
  if (typeof command !== 'string' || !Array.isArray(args)) return undefined;
  const words = [command, ...args].map(String);
  const at = words.findIndex((word) => /(?:^|\/)ucp-sandbox(?:\.js)?$/.test(word));
  const [noun, verb, name] = at === -1 ? [] : words.slice(at + 1);
  return noun === 'mcp' && verb === 'run' ? name : undefined;
}

/** True for any entry that ucp-sandbox stands in front of, named or not. */
export function isSandboxed(entry: JsonObject): boolean {
  if (sandboxedServer(entry) !== undefined) return true;
  const { command, args } = entry;
  const words = [command, ...(Array.isArray(args) ? args : [])].map(String);
  const at = words.findIndex((word) => /(?:^|\/)ucp-sandbox(?:\.js)?$/.test(word));
  return at !== -1 && words[at + 1] === 'run';
}
