/**
 * `conformance-server.mjs [PORT]`: a server with everything that the conformance suite asks of one, on stdio or over
 * Streamable HTTP at this port.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import * as types from '@modelcontextprotocol/sdk/types.js';

const [port] = process.argv.slice(2);
const DATA = Buffer.from('a little of everything').toString('base64');
const PAUSE = 50;

const text = (said) => ({ type: 'text', text: said });
const says = (...content) => ({ content });
const image = { type: 'image', data: DATA, mimeType: 'image/png' };
const embedded = (uri, mimeType, said) => ({ type: 'resource', resource: { uri, mimeType, text: said } });
const object = (properties = {}, more = {}) => ({ type: 'object', properties, ...more });
const string = { type: 'string' };
const titled = (...pairs) => pairs.map(([value, title]) => ({ const: value, title }));
const VALUES = [
  ['value1', 'First'],
  ['value2', 'Second'],
  ['value3', 'Third'],
];
const OPTIONS = ['option1', 'option2', 'option3'];

async function elicit(extra, message, requestedSchema, words) {
  const params = { message, requestedSchema };
  const { action, content } = await extra.sendRequest(
    { method: 'elicitation/create', params },
    types.ElicitResultSchema,
  );
  return says(text(words(action, JSON.stringify(content))));
}
const completed = (action, content) => `Elicitation completed: action=${action}, content=${content}`;

/** Each tool's schema and what it does. */
const TOOLS = {
  test_simple_text: [object(), () => says(text('This is a simple text response for testing.'))],
  test_image_content: [object(), () => says(image)],
  test_audio_content: [object(), () => says({ type: 'audio', data: DATA, mimeType: 'audio/wav' })],
  test_embedded_resource: [
    object(),
    () => says(embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')),
  ],
  test_multiple_content_types: [
    object(),
    () => {
      const mixed = embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}');
      return says(text('Multiple content types test:'), image, mixed);
    },
  ],
  test_tool_with_logging: [
    object(),
    async (_, extra) => {
      for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
        await pause(PAUSE);
      }
      return says(text('logged'));
    },
  ],
  test_error_handling: [
    object(),
    () => ({ isError: true, ...says(text('This tool intentionally returns an error for testing')) }),
  ],
  test_tool_with_progress: [
    object(),
    async (_, extra) => {
      const progressToken = extra._meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        const params = { progressToken, progress, total: 100 };
        if (progressToken !== undefined) await extra.sendNotification({ method: 'notifications/progress', params });
        await pause(PAUSE);
      }
      return says(text('done'));
    },
  ],
  test_sampling: [
    object({ prompt: string }, { required: ['prompt'] }),
    async ({ prompt }, extra) => {
      const params = { messages: [{ role: 'user', content: text(prompt) }], maxTokens: 100 };
      const request = { method: 'sampling/createMessage', params };
      const { content } = await extra.sendRequest(request, types.CreateMessageResultSchema);
      return says(text(`LLM response: ${content.text}`));
    },
  ],
  test_elicitation: [
    object({ message: string }, { required: ['message'] }),
    ({ message }, extra) => {
      const schema = object({ username: string, email: string }, { required: ['username', 'email'] });
      return elicit(extra, message, schema, (action, content) => `User response: action=${action}, content=${content}`);
    },
  ],
  test_elicitation_sep1034_defaults: [
    object(),
    (_, extra) => {
      const schema = object({
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      });
      return elicit(extra, 'Which?', schema, completed);
    },
  ],
  test_elicitation_sep1330_enums: [
    object(),
    (_, extra) => {
      const legacy = { enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] };
      const schema = object({
        untitledSingle: { type: 'string', enum: OPTIONS },
        titledSingle: { type: 'string', oneOf: titled(...VALUES) },
        legacyEnum: { type: 'string', ...legacy },
        untitledMulti: { type: 'array', items: { type: 'string', enum: OPTIONS } },
        titledMulti: { type: 'array', items: { anyOf: titled(...VALUES) } },
      });
      return elicit(extra, 'Which?', schema, completed);
    },
  ],
  json_schema_2020_12_tool: [
    object(
      { name: string, address: { $ref: '#/$defs/address' } },
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $defs: { address: object({ street: string, city: string }) },
        additionalProperties: false,
      },
    ),
    () => says(text('valid')),
  ],
};

/** Each prompt's arguments and its messages. */
const PROMPTS = {
  test_simple_prompt: [[], () => [text('This is a simple prompt for testing.')]],
  test_prompt_with_arguments: [
    ['arg1', 'arg2'],
    ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  ],
  test_prompt_with_embedded_resource: [
    ['resourceUri'],
    ({ resourceUri }) => [
      embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
      text('Please process the embedded resource above.'),
    ],
  ],
  test_prompt_with_image: [[], () => [image, text('Please analyze the image above.')]],
};

const RESOURCES = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: DATA },
  'test://watched-resource': { mimeType: 'text/plain', text: 'watched' },
};

function read(uri) {
  const [, id] = /^test:\/\/template\/(.+)\/data$/.exec(uri) ?? [];
  if (id === undefined) return { uri, ...RESOURCES[uri] };
  const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { uri, mimeType: 'application/json', text: data };
}

function makeServer() {
  const capabilities = { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} };
  const server = new Server({ name: 'conformance', version: '1.0.0' }, { capabilities });
  const on = (schema, handler) => server.setRequestHandler(schema, handler);
  const described = (name) => ({ name, description: `for ${name}` });
  on(types.ListToolsRequestSchema, () => ({
    tools: Object.entries(TOOLS).map(([name, [inputSchema]]) => ({ ...described(name), inputSchema })),
  }));
  on(types.CallToolRequestSchema, ({ params }, extra) => TOOLS[params.name][1](params.arguments ?? {}, extra));
  on(types.ListResourcesRequestSchema, () => ({
    resources: Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({ uri, mimeType, ...described(uri) })),
  }));
  const uriTemplate = 'test://template/{id}/data';
  on(types.ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate, ...described('template') }],
  }));
  on(types.ReadResourceRequestSchema, ({ params }) => ({ contents: [read(params.uri)] }));
  on(types.SubscribeRequestSchema, () => ({}));
  on(types.UnsubscribeRequestSchema, () => ({}));
  on(types.ListPromptsRequestSchema, () => ({
    prompts: Object.entries(PROMPTS).map(([name, [args]]) => ({
      ...described(name),
      arguments: args.map((argument) => ({ ...described(argument), required: true })),
    })),
  }));
  on(types.GetPromptRequestSchema, ({ params }) => ({
    messages: PROMPTS[params.name][1](params.arguments ?? {}).map((content) => ({ role: 'user', content })),
  }));
  on(types.CompleteRequestSchema, () => ({ completion: { values: ['paris', 'park'], total: 2, hasMore: false } }));
  on(types.SetLevelRequestSchema, () => ({}));
  return server;
}

const transports = new Map();

async function transportOf(request) {
  const known = transports.get(request.headers['mcp-session-id']);
  if (known !== undefined) return known;
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => void transports.set(id, transport),
  });
  await makeServer().connect(transport);
  return transport;
}

if (port === undefined) await makeServer().connect(new StdioServerTransport());
else {
  createServer(async (request, response) => {
    const transport = await transportOf(request);
    await transport.handleRequest(request, response);
  }).listen(Number(port));
}
