/**
 * `hand-server.mjs`: an MCP server over stdio without an SDK. Answers batches; `ask` asks the client for a model's answer.
 */
import { spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const entry = (name) => ({ name, inputSchema: { type: 'object' } });
const text = (text) => ({ content: [{ type: 'text', text }] });
const waiting = new Map();

const methods = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'by hand', version: '1' },
  }),
  'tools/list': () => ({ tools: ['echo', 'danger', 'run', 'ask'].map(entry) }),
  'resources/list': () => ({ resources: ['mem://open', 'mem://secret'].map((uri) => ({ uri, name: uri })) }),
  'prompts/list': () => ({ prompts: [{ name: 'greet' }, { name: 'trick' }] }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, text: uri }] }),
  'prompts/get': ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: name } }] }),
  async 'tools/call'({ name, arguments: args }) {
    if (name === 'run') return text(spawnSync('/bin/echo', [args.text]).stdout.toString());
    if (name !== 'ask') return text(`${name} ${args.text}`);
    const asked = new Promise((resolve) => waiting.set('ask-1', resolve));
    say({ id: 'ask-1', method: 'sampling/createMessage', params: { messages: [], maxTokens: 9 } });
    const { result, error } = await asked;
    return text(error === undefined ? result.content.text : `refused ${error.code}`);
  },
};

async function answer({ id, method, params, result, error }) {
  if (method === undefined) return waiting.get(id)?.({ result, error });
  const handle = methods[method];
  if (id === undefined) return;
  return handle === undefined ? { id, error: { code: -32601, message: method } } : { id, result: await handle(params) };
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const said = JSON.parse(line);
  if (Array.isArray(said)) {
    const answers = await Promise.all(said.map(answer));
    process.stdout.write(`${JSON.stringify(answers.map((message) => ({ jsonrpc: '2.0', ...message })))}\n`);
  } else {
    const message = await answer(said);
    if (message !== undefined) say(message);
  }
});
