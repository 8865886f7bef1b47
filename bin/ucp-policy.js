#!/usr/bin/env node
// Plain JavaScript that old versions of Node read too, so that they get a sentence instead of a syntax error.
import { fileURLToPath } from 'node:url';
import v8 from 'node:v8';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 15)) {
  process.stderr.write(`ucp-policy needs Node.js 22.15 or newer; this is ${process.versions.node}.\n`);
  process.exit(2);
}
// An exit waits for the threads that compile, and Maglev's may wait for this one (nodejs/node#54918).
v8.setFlagsFromString('--no-maglev');
const { main } = await import('../dist/ucp-policy.mjs');
process.exitCode = await main(process.argv.slice(2), fileURLToPath(new URL('..', import.meta.url)));
