import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect } from 'vitest';

import { mcpServer } from '../../images/index.ts';
import { TestHost } from '../helpers/host.ts';
import { verifies } from '../helpers/verifies.ts';

describe("clients' configurations", () => {
  let host: TestHost;

  beforeAll(async () => {
    host = new TestHost();
    await host.sandbox(['mcp', 'add', 'tools', await mcpServer(), 'mcp-server-everything']);
  });
  afterAll(() => host[Symbol.asyncDispose]());

  verifies(
    ['WR-04', 'RUN-03'],
    'what setup writes is what starts a policed server, and remove leaves no trace',
    async () => {
      const file = host.path('.claude.json');
      const before = '{\n  "numStartups": 3,\n  "mcpServers": { "other": { "command": "npx", "args": ["x"] } }\n}\n';
      writeFileSync(file, before);
      const done = await host.sandbox(['client', 'setup', 'claude-code']);
      expect(done).toMatchObject({ exitCode: 0, stdout: `claude-code: tools added (${file})\n` });
      const { mcpServers } = JSON.parse(readFileSync(file, 'utf8')) as {
        mcpServers: Record<string, { command: string; args: string[] }>;
      };
      expect(Object.keys(mcpServers)).toEqual(['other', 'tools']);
      const { command = '', args = [] } = mcpServers['tools'] ?? {};
      // As the client would: its own environment, no PATH with our programs.
      const client = new Client({ name: 'e2e', version: '1.0.0' });
      await client.connect(
        new StdioClientTransport({ command, args, env: { ...host.env }, cwd: '/', stderr: 'ignore' }),
      );
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo');
      await client.close();
      expect(JSON.parse((await host.sandbox(['client', 'status', '--json'], { cwd: host.dir })).stdout)).toMatchObject([
        { client: 'claude-code', server: 'other', state: 'direct' },
        { client: 'claude-code', server: 'tools', state: 'sandboxed' },
      ]);
      expect(await host.sandbox(['client', 'remove', 'claude-code'])).toMatchObject({ exitCode: 0 });
      expect(readFileSync(file, 'utf8')).toBe(before);
    },
  );

  verifies(
    ['WR-04'],
    'a file that is broken, a client or a server that is not there: one line, nothing changed',
    async () => {
      mkdirSync(host.path('.cursor'));
      writeFileSync(host.path('.cursor/mcp.json'), '{ "mcpServers": ');
      const broken = await host.sandbox(['client', 'setup', 'cursor']);
      expect(broken).toMatchObject({
        exitCode: 1,
        stdout: '',
        stderr: expect.stringMatching(/CLIENT_FILE_INVALID.*line 1/),
      });
      expect(readFileSync(host.path('.cursor/mcp.json'), 'utf8')).toBe('{ "mcpServers": ');
      expect(await host.sandbox(['client', 'setup', 'emacs'])).toMatchObject({ exitCode: 2 });
      expect(await host.sandbox(['client', 'setup', 'zed', '--server', 'none'])).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('SERVER_UNKNOWN'),
      });
      expect(await host.sandbox(['client', 'setup', 'windsurf', '--project'])).toMatchObject({ exitCode: 2 });
      const shown = await host.sandbox(['client', 'print', 'codex', '--project'], { cwd: host.dir });
      expect(shown).toMatchObject({
        exitCode: 0,
        stdout: '[mcp_servers.tools]\ncommand = "ucp-sandbox"\nargs = ["mcp", "run", "tools"]\n',
      });
    },
  );
});
