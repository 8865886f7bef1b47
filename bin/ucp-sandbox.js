#!/usr/bin/env node
// Plain JavaScript that old versions of Node read too, so that they get a sentence instead of a syntax error.
import module from 'node:module';
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import v8 from 'node:v8';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 15)) {
  process.stderr.write(`ucp-sandbox needs Node.js 22.15 or newer; this is ${process.versions.node}.\n`);
  process.exit(125);
}
// An exit waits for the threads that compile, and Maglev's may wait for this one (nodejs/node#54918).
v8.setFlagsFromString('--no-maglev');
// stderr is for the user: what Node thinks of a dependency's calls is not for them.
process.noDeprecation = true;
// A directory of the user's own: compiled code that others could write would be theirs to run.
module.enableCompileCache(`${process.env.XDG_CACHE_HOME ?? `${homedir()}/.cache`}/ucp/compile`);
const { main } = await import('../dist/ucp-sandbox.mjs');
process.exit(await main(process.argv.slice(2), fileURLToPath(new URL('./ucpd.js', import.meta.url))));
