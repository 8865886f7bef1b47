/** `changing-client.mjs URL` or `changing-client.mjs COMMAND ARG…`: what a client of SDK 2.x sees of changing-server.mjs. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [command, ...args] = process.argv.slice(2);
const client = new Client(
  { name: 'changing', version: '1.0.0' },
  { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { form: {} } } },
);
client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { name: 'me' } }));
const told = new Promise((resolve) => client.setNotificationHandler('notifications/tools/list_changed', resolve));
await client.connect(
  command.startsWith('http:')
    ? new StreamableHTTPClientTransport(new URL(command))
    : new StdioClientTransport({ command, args, env: process.env }),
);

const refused = ({ code, data }) => ({ code, rule: data?.rule });
const call = (name) => client.callTool({ name, arguments: {} }).then(({ content }) => content[0].text, refused);
const tools = async () => {
  const listed = (await client.listTools(undefined, { cacheMode: 'refresh' })).tools;
  return listed.map(({ name, description }) => (name === 'echo' ? `${name}: ${description}` : name)).toSorted();
};

const subscription = await client.listen({ toolsListChanged: true });
const seen = {
  version: client.getNegotiatedProtocolVersion(),
  before: await tools(),
  ask: await call('ask'),
  echo: await call('echo'),
  change: await call('change'),
};
await told;
Object.assign(seen, {
  after: await tools(),
  danger: await call('danger'),
  again: await call('echo'),
  secret: await client.listen({ resourceSubscriptions: ['mem://secret'] }).then(() => 'listens', refused),
});
console.log(JSON.stringify(seen));
await subscription.close();
await client.close();
process.exit(0);
