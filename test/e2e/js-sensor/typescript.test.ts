import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { NODES } from './helpers/dialogs.ts';
import { nodeBinary, packages } from './helpers/packages.ts';
import { denyOn } from './helpers/policy.ts';
import { run } from './helpers/run.ts';

const SOURCE = `
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { makeServer } from './v1-server.mjs';

interface Named { readonly name: string }
const [mine, theirs] = InMemoryTransport.createLinkedPair();
await makeServer().connect(theirs);
const client: Client = new Client({ name: 'typed', version: '1.0.0' });
await client.connect(mine);
const tools: readonly Named[] = (await client.listTools()).tools;
console.log(tools.map((tool: Named): string => tool.name).join());
`;

test.each(NODES.filter((major) => major > 20))('Node %i: a TypeScript program by type stripping', async (major) => {
  const file = join(await packages('v1'), 'programs', 'typed.ts');
  writeFileSync(file, SOURCE);
  const flags = major === 22 ? ['--experimental-strip-types', '--no-warnings'] : [];
  const ran = await run([file], { node: await nodeBinary(major), flags, policy: denyOn('client') });
  expect({ code: ran.exitCode, stdout: ran.stdout, stderr: ran.stderr }).toEqual({
    code: 0,
    stdout: 'echo\n',
    stderr: '',
  });
});
