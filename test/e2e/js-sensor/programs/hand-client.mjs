/**
 * `hand-client.mjs [CHUNK]`: an MCP client over stdio without an SDK; writes CHUNK bytes at a time. Prints what it got.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setImmediate as turn } from 'node:timers/promises';

const chunk = Number(process.argv[2] ?? Infinity);
const server = spawn(process.execPath, [new URL('hand-server.mjs', import.meta.url).pathname], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const waiting = new Map();
let last = 0;

async function write(message) {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
  for (let from = 0; from < bytes.length; from += chunk) {
    server.stdin.write(bytes.subarray(from, from + Math.min(chunk, bytes.length)));
    if (chunk < bytes.length) await turn();
  }
}

createInterface({ input: server.stdout }).on('line', (line) => {
  for (const message of [JSON.parse(line)].flat()) {
    if (message.method === undefined) waiting.get(message.id)?.(message);
    else if (message.id !== undefined) {
      const result = { model: 'm', role: 'assistant', content: { type: 'text', text: 'sampled' } };
      write({ jsonrpc: '2.0', id: message.id, result });
    } else console.log(message.method);
  }
});

const request = (method, params = {}) => ({ jsonrpc: '2.0', id: ++last, method, params });
const outcome = ({ result, error }) => (error === undefined ? result : { code: error.code, data: error.data });
async function ask(message) {
  const answered = new Promise((resolve) => waiting.set(message.id, resolve));
  await write(message);
  return outcome(await answered);
}
const call = async (name, said = 'x') => {
  const got = await ask(request('tools/call', { name, arguments: { text: said } }));
  return got.content?.[0].text ?? got;
};

const seen = {};
await ask(request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'h' } }));
await write({ jsonrpc: '2.0', method: 'notifications/initialized' });
seen.tools = (await ask(request('tools/list'))).tools.map(({ name }) => name);
seen.resources = (await ask(request('resources/list'))).resources.map(({ uri }) => uri);
seen.prompts = (await ask(request('prompts/list'))).prompts.map(({ name }) => name);
seen.echo = await call('echo', 'ü\u{1f600}');
seen.danger = await call('danger');
seen.run = await call('run', 'ran');
seen.ask = await call('ask');
seen.open = (await ask(request('resources/read', { uri: 'mem://open' }))).contents?.[0].text;
seen.secret = await ask(request('resources/read', { uri: 'mem://secret' }));
seen.trick = await ask(request('prompts/get', { name: 'trick' }));
const batch = [request('tools/list'), request('tools/call', { name: 'danger', arguments: { text: 'x' } })];
const both = batch.map(({ id }) => new Promise((resolve) => waiting.set(id, resolve)));
await write(batch);
const [list, danger] = (await Promise.all(both)).map(outcome);
seen.batch = [list.tools.map(({ name }) => name), danger.code ?? danger.content[0].text];
const large = await call('echo', 'y'.repeat(chunk < 64 ? 100 : 2 ** 20));
seen.large = large.length;
console.log(JSON.stringify(seen));
server.stdin.end();
