/** `secrets.mjs VENDOR`: uses one credential in each place where an event could pick it up. Prints how often it arrived. */
import { exec, execFileSync, execSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';

const [vendor] = process.argv.slice(2);
const secret = process.env.DB_PASSWORD;
let arrived = 0;

const server = new McpServer({ name: 'secrets', version: '1.0.0' });
server.tool('login', { password: z.string(), note: z.string() }, async ({ password }) => {
  arrived += Number(password === secret);
  throw new Error(`login failed: password=${password}`);
});
server.tool('start', async () => {
  spawnSync('true', ['--token', secret, '-u', `me:${secret}`, `--api-key=${secret}`, `Authorization: Basic ${secret}`]);
  spawnSync(`true --password ${secret}`, { shell: true });
  execFileSync('true', ['--secret', secret], { env: { ...process.env, API_KEY: secret } });
  execSync(`DB_PASSWORD=${secret} true --token '${secret}'`);
  await promisify(exec)(`true -H 'Cookie: session=${secret}'`);
  return { content: [{ type: 'text', text: `token: ${secret}` }] };
});
server.resource('any', new ResourceTemplate('db://{+rest}', { list: undefined }), async (uri) => {
  arrived += Number(uri.href.includes(secret));
  if (process.argv[3] !== undefined) writeFileSync(`${process.argv[3]}/access_token=${secret}`, '');
  return { contents: [{ uri: uri.href, text: `password=${secret}` }] };
});

const [mine, theirs] = InMemoryTransport.createLinkedPair();
await server.connect(theirs);
const client = new Client({ name: 'secrets', version: '1.0.0' });
await client.connect(mine);
const result = await client.callTool({ name: 'login', arguments: { password: secret, note: `api_key=${secret}` } });
arrived += Number(result.content[0].text.includes(secret));
await client.callTool({ name: 'start' });
await client.readResource({ uri: `db://me:${secret}@host/allowed?access_token=${secret}` });
await client.readResource({ uri: `db://me:${secret}@host/denied?access_token=${secret}` });
const messages = [
  { role: 'user', content: `my password: ${secret}` },
  { role: 'assistant', tool_calls: [{ function: { name: 'login', arguments: JSON.stringify({ password: secret }) } }] },
];
const answer = await fetch(`${vendor}/v1/chat/completions?api_key=${secret}`, {
  method: 'POST',
  headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'm', messages, metadata: { apiKey: secret } }),
});
arrived += Number(answer.ok);
await client.close();
console.log(arrived);
