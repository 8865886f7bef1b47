/** What the servers under test of the conformance suite offer, in the terms of no SDK. */
import { setTimeout as pause } from 'node:timers/promises';

const DATA = Buffer.from('a little of everything').toString('base64');
const PAUSE = 50;

export const text = (said) => ({ type: 'text', text: said });
export const says = (...content) => ({ content });
const image = { type: 'image', data: DATA, mimeType: 'image/png' };
const embedded = (uri, mimeType, said) => ({ type: 'resource', resource: { uri, mimeType, text: said } });
export const object = (properties = {}, more = {}) => ({ type: 'object', properties, ...more });
const string = { type: 'string' };
const titled = (...pairs) => pairs.map(([value, title]) => ({ const: value, title }));
const VALUES = [
  ['value1', 'First'],
  ['value2', 'Second'],
  ['value3', 'Third'],
];
const OPTIONS = ['option1', 'option2', 'option3'];

async function elicit({ ask }, message, requestedSchema, words) {
  const { action, content } = await ask('elicitation/create', { message, requestedSchema });
  return says(text(words(action, JSON.stringify(content))));
}
const completed = (action, content) => `Elicitation completed: action=${action}, content=${content}`;

/** Each tool's schema and what it does with its arguments and with whoever calls: `progressToken`, `tell` and `ask`. */
export const TOOLS = {
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
    async (_, { tell }) => {
      for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await tell('notifications/message', { level: 'info', data });
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
    async (_, { progressToken, tell }) => {
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined) await tell('notifications/progress', { progressToken, progress, total: 100 });
        await pause(PAUSE);
      }
      return says(text('done'));
    },
  ],
  test_sampling: [
    object({ prompt: string }, { required: ['prompt'] }),
    async ({ prompt }, { ask }) => {
      const params = { messages: [{ role: 'user', content: text(prompt) }], maxTokens: 100 };
      const { content } = await ask('sampling/createMessage', params);
      return says(text(`LLM response: ${content.text}`));
    },
  ],
  test_elicitation: [
    object({ message: string }, { required: ['message'] }),
    ({ message }, calling) => {
      const schema = object({ username: string, email: string }, { required: ['username', 'email'] });
      return elicit(
        calling,
        message,
        schema,
        (action, content) => `User response: action=${action}, content=${content}`,
      );
    },
  ],
  test_elicitation_sep1034_defaults: [
    object(),
    (_, calling) => {
      const schema = object({
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      });
      return elicit(calling, 'Which?', schema, completed);
    },
  ],
  test_elicitation_sep1330_enums: [
    object(),
    (_, calling) => {
      const legacy = { enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] };
      const schema = object({
        untitledSingle: { type: 'string', enum: OPTIONS },
        titledSingle: { type: 'string', oneOf: titled(...VALUES) },
        legacyEnum: { type: 'string', ...legacy },
        untitledMulti: { type: 'array', items: { type: 'string', enum: OPTIONS } },
        titledMulti: { type: 'array', items: { anyOf: titled(...VALUES) } },
      });
      return elicit(calling, 'Which?', schema, completed);
    },
  ],
  json_schema_2020_12_tool: [
    object(
      { name: string, address: { $ref: '#/$defs/address' }, contactMethod: string, phone: string, email: string },
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $defs: { address: object({ street: string, city: string }, { $anchor: 'addressDef' }) },
        allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
        if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
        then: { required: ['phone'] },
        else: { required: ['email'] },
        additionalProperties: false,
      },
    ),
    () => says(text('valid')),
  ],
};

/** Each prompt's arguments and its messages. */
export const PROMPTS = {
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
  if (id === undefined) return RESOURCES[uri] === undefined ? undefined : { uri, ...RESOURCES[uri] };
  const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { uri, mimeType: 'application/json', text: data };
}

const described = (name) => ({ name, description: `for ${name}` });
const uriTemplate = 'test://template/{id}/data';

/** What is answered to each request, given its parameters and who calls; `unknown` makes the error for a resource. */
export const answers = (tools, prompts, unknown) => ({
  'tools/list': () => ({
    tools: Object.entries(tools).map(([name, [inputSchema]]) => ({ ...described(name), inputSchema })),
  }),
  'tools/call': ({ name, arguments: args = {} }, calling) => tools[name][1](args, calling),
  'resources/list': () => ({
    resources: Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({ uri, mimeType, ...described(uri) })),
  }),
  'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate, ...described('template') }] }),
  'resources/read': ({ uri }) => {
    const content = read(uri);
    if (content === undefined) throw unknown(uri);
    return { contents: [content] };
  },
  'resources/subscribe': () => ({}),
  'resources/unsubscribe': () => ({}),
  'prompts/list': () => ({
    prompts: Object.entries(prompts).map(([name, [args]]) => ({
      ...described(name),
      arguments: args.map((argument) => ({ ...described(argument), required: true })),
    })),
  }),
  'prompts/get': async ({ name, arguments: args = {} }, calling) => {
    const got = await prompts[name][1](args, calling);
    return Array.isArray(got) ? { messages: got.map((content) => ({ role: 'user', content })) } : got;
  },
  'completion/complete': () => ({ completion: { values: ['paris', 'park'], total: 2, hasMore: false } }),
  'logging/setLevel': () => ({}),
});
