import { FastMCP } from 'fastmcp';
import { z } from 'zod';

const server = new FastMCP({ name: 'fast', version: '1.0.0' });
const parameters = z.object({ text: z.string() });
server.addTool({ name: 'echo', description: 'echo', parameters, execute: async ({ text }) => text });
server.addTool({ name: 'danger', description: 'danger', parameters, execute: async ({ text }) => `DANGER ${text}` });
const resource = (name) => ({ name, uri: `mem://${name}`, load: async () => ({ text: name }) });
for (const name of ['open', 'secret']) server.addResource(resource(name));
for (const name of ['greet', 'trick']) server.addPrompt({ name, load: async () => name });
server.start({ transportType: 'stdio' });
