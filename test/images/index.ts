/** Images for tests, demo and bench, made in the local engine out of what is on this machine; each returns its tag. */
export { busybox, scratch } from './busybox.ts';
export { clients } from './clients.ts';
export { goServer, rustServer } from './languages.ts';
export { mcpServer } from './mcp-server.ts';
export { node } from './node.ts';
export { python } from './python.ts';
export { trait, traitMakers } from './trait.ts';
