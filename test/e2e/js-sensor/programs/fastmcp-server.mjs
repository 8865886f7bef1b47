import { FastMCP } from 'fastmcp';
import { z } from 'zod';

const server = new FastMCP({ name: 'fast', version: '1.0.0' });
const parameters = z.object({ text: z.string() });
server.addTool({ name: 'echo', description: 'echo', parameters, execute: async ({ text }) => text });
server.addTool({ name: 'danger', description: 'danger', parameters, execute: async ({ text }) => `DANGER ${text}` });
server.start({ transportType: 'stdio' });
