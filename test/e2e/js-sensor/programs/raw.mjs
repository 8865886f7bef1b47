/** `raw.mjs LINE…`: sends these JSON-RPC lines to a stdio server as they are; prints its answers, one per line. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const [expected, ...lines] = process.argv.slice(2);
const server = spawn(process.execPath, [new URL('v1-server.mjs', import.meta.url).pathname, 'serve']);
server.stderr.pipe(process.stderr);
const hello = {
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};
server.stdin.write(`${JSON.stringify(hello)}\n`);
let left = Number(expected) + 1;
for await (const line of createInterface({ input: server.stdout })) {
  if (JSON.parse(line).id !== 'hello') console.log(line);
  else server.stdin.write(`${lines.join('\n')}\n`);
  left -= 1;
  if (left === 0) break;
}
server.kill();
