/**
 * `conformance-v2-server.mjs PORT`: a server of SDK 2.x with everything that the conformance suite asks of one in the era
 * 2026-07-28, over HTTP.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  McpServer,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';

import { answers, object, PROMPTS, says, text, TOOLS } from './conformance-offers.mjs';

const [port] = process.argv.slice(2);
const codec = createRequestStateCodec({ key: randomBytes(32) });
const KEPT = { ttlMs: 1_000, cacheScope: 'private' };

const ask = (message, ...names) => {
  const properties = Object.fromEntries(names.map((name) => [name, { type: name === 'ok' ? 'boolean' : 'string' }]));
  return inputRequired.elicit({ message, requestedSchema: object(properties, { required: names }) });
};
const model = (prompt) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: text(prompt) }], maxTokens: 100 });
const roots = () => inputRequired.listRoots();
const sealed = (state) => codec.mint({ ...state, nonce: randomUUID() });

/** A tool that asks for `requests` until all are answered. */
const asking = (requests, words, state) => [
  object(),
  async (_, { answered }) => {
    const given = Object.keys(requests()).map((name) => accepted(answered, name));
    if (given.every((one) => one !== undefined)) return says(text(words(...given)));
    const requestState = state === undefined ? {} : { requestState: await sealed(state) };
    return inputRequired({ inputRequests: requests(), ...requestState });
  },
];

/** The answer to one request, of whatever kind; nothing when it was not what was asked for. */
function accepted(answered, name) {
  const { content, roots: named } = answered?.[name] ?? {};
  if (named !== undefined) return named.map(({ uri }) => uri).join(', ');
  if (content?.text !== undefined) return content.text;
  const [value] = Object.values(acceptedContent(answered, name) ?? {});
  return ['string', 'boolean'].includes(typeof value) ? value : undefined;
}

/** Asks for a name, then for a color; what it knows goes with the request. */
async function rounds(_, { answered, state }) {
  if (state?.round === undefined) {
    return inputRequired({ inputRequests: { step1: ask('Name?', 'name') }, requestState: await sealed({ round: 1 }) });
  }
  if (state.round === 1) {
    const requestState = await sealed({ round: 2, name: accepted(answered, 'step1') });
    return inputRequired({ inputRequests: { step2: ask('Color?', 'color') }, requestState });
  }
  return says(text(`${state.name} likes ${accepted(answered, 'step2')}`));
}

/** Asks for what the client says that it can answer. */
function able(_, { answered, declared }) {
  if (answered !== undefined) return says(text('answered'));
  const wanted = [
    ['elicitation', 'user_name', () => ask('Name?', 'name')],
    ['sampling', 'greeting', () => model('Greet')],
    ['roots', 'client_roots', roots],
  ].filter(([capability]) => declared?.[capability] !== undefined);
  if (wanted.length === 0) return says(text('nothing to ask'));
  return inputRequired({ inputRequests: Object.fromEntries(wanted.map(([, name, request]) => [name, request()])) });
}

const changed = (publish) => [object(), () => (publish(), says(text('published')))];
const said =
  (words) =>
  (...given) =>
    `${words} ${given.join(' ')}`;
const MIRRORED = 'test_x_mcp_header';
const region = { type: 'string', 'x-mcp-header': 'Region' };
const all = () => ({ user_name: ask('Name?', 'name'), greeting: model('Greet'), client_roots: roots() });
const confirm = () => ({ confirm: ask('Please confirm', 'ok') });

const MORE_TOOLS = {
  [MIRRORED]: [object({ region, level: { type: 'integer' } }), (args) => says(text(`region=${args.region}`))],
  test_missing_capability: asking(() => ({ answer: model('pong?') }), said('sampled')),
  test_streaming_elicitation: [object(), () => says(text('streamed'))],
  test_logging_tool: [object(), async (_, { log }) => (await log('info', 'ran'), says(text('logged')))],
  test_input_required_result_elicitation: asking(() => ({ user_name: ask('Name?', 'name') }), said('Hello')),
  test_input_required_result_sampling: asking(() => ({ capital_question: model('Capital of France?') }), said('said')),
  test_input_required_result_list_roots: asking(() => ({ client_roots: roots() }), said('roots')),
  test_input_required_result_request_state: asking(confirm, said('state-ok'), { tool: 'state' }),
  test_input_required_result_multiple_inputs: asking(all, said('all'), { tool: 'inputs' }),
  test_input_required_result_multi_round: [object(), rounds],
  test_input_required_result_tampered_state: asking(confirm, said('integrity-ok'), { tool: 'tampered' }),
  test_input_required_result_capabilities: [object(), able],
  test_trigger_tool_change: changed(() => handler.notify.toolsChanged()),
  test_trigger_prompt_change: changed(() => handler.notify.promptsChanged()),
};

const MORE_PROMPTS = {
  test_input_required_result_prompt: [
    [],
    (_, { answered }) => {
      const context = accepted(answered, 'user_context');
      if (context !== undefined) return [text(`Context: ${context}`)];
      return inputRequired({ inputRequests: { user_context: ask('Which context?', 'context') } });
    },
  ],
};

/** Who calls, in the terms of the offers and of the era. */
const calling = ({ mcpReq }) => ({
  progressToken: mcpReq._meta?.progressToken,
  tell: (method, params) => mcpReq.notify({ method, params }),
  ask: (method, params) => mcpReq.send({ method, params }),
  log: mcpReq.log,
  answered: mcpReq.inputResponses,
  state: mcpReq.requestState(),
  declared: mcpReq.envelope?.[CLIENT_CAPABILITIES_META_KEY],
});

function makeServer() {
  const lists = { listChanged: true };
  const capabilities = { tools: lists, resources: { ...lists, subscribe: true }, prompts: lists, completions: {} };
  const cached = ['tools/list', 'resources/list', 'resources/templates/list', 'resources/read', 'prompts/list'];
  const mcp = new McpServer(
    { name: 'conformance', version: '1.0.0' },
    {
      capabilities: { ...capabilities, logging: {} },
      cacheHints: Object.fromEntries(cached.map((method) => [method, KEPT])),
      requestState: { verify: codec.verify },
    },
  );
  // Headers are compared with arguments only where the SDK itself knows the tool.
  const [inputSchema, echo] = MORE_TOOLS[MIRRORED];
  mcp.registerTool(MIRRORED, { inputSchema: fromJsonSchema(inputSchema) }, echo);
  const unknown = (uri) => new ResourceNotFoundError(uri);
  const tools = { ...TOOLS, ...MORE_TOOLS };
  for (const [method, answer] of Object.entries(answers(tools, { ...PROMPTS, ...MORE_PROMPTS }, unknown))) {
    mcp.server.setRequestHandler(method, ({ params }, ctx) => answer(params, calling(ctx)));
  }
  return mcp;
}

const handler = createMcpHandler(makeServer);
const handle = toNodeHandler(handler);
createServer((request, response) => {
  const { host, origin } = request.headers;
  const local = [`http://${host}`, origin ?? 'http://localhost'].map((url) => new URL(url).hostname);
  if (local.every((name) => ['localhost', '127.0.0.1'].includes(name))) return handle(request, response);
  return response.writeHead(403).end();
}).listen(Number(port));
