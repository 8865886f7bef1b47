#!/usr/bin/env node
// Plain JavaScript that old versions of Node read too, so that they get a sentence instead of a syntax error.
import { fileURLToPath } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 15)) {
  process.stderr.write(`ucp-policy needs Node.js 22.15 or newer; this is ${process.versions.node}.\n`);
  process.exit(2);
}
const { main } = await import('../dist/ucp-policy.mjs');
process.exitCode = await main(process.argv.slice(2), fileURLToPath(new URL('..', import.meta.url)));
