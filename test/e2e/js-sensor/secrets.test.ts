import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import { program } from './helpers/packages.ts';
import { run } from './helpers/run.ts';
import { Vendor } from './helpers/vendor.ts';

/** In no well-known form: only what stands before it says what it is. */
const SECRET = 'hunter2hunter2';

verifies(
  ['MCP-07'],
  'a credential in arguments, addresses, errors, headers and prompts leaves in no event',
  async () => {
    await using vendor = await Vendor.listening();
    const directory = mkdtempSync(join(tmpdir(), 'ucp-js-'));
    const rules = {
      resources: { '*': { deny_list: ['db://*/denied*', 'db://**/denied*'] } },
      tools: { '*': { arguments: { deny: [{ name: 'secret', regex: 'hunter2' }] } } },
    };
    const policy = {
      js_sensor: { remediate: false, mcp: { client: rules, server: rules }, runtime: { fs: true } },
      llm: {},
    };
    const ran = await run([await program('v1', 'secrets.mjs'), vendor.url, directory], {
      policy,
      env: { DB_PASSWORD: SECRET },
    });
    rmSync(directory, { recursive: true });
    expect({ code: ran.exitCode, stdout: ran.stdout, stderr: ran.stderr }).toEqual({
      code: 0,
      stdout: '5\n',
      stderr: '',
    });
    const count = (name: string): number => ran.lines.filter((line) => line.name === name).length;
    expect([
      count('process_spawn'),
      count('file_write'),
      count('mcp_resource_read'),
      count('mcp_violation'),
      count('llm_request'),
    ]).toEqual([5, 2, 4, 4, 1]);
    expect(ran.lines.filter((line) => JSON.stringify(line).includes(SECRET))).toEqual([]);
  },
);
