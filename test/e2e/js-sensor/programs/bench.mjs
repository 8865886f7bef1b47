/** `bench.mjs SDK VIA`: for each line on stdin (`calls N`, `big BYTES`, `memory`) does it and prints one line of JSON. */
import { createInterface } from 'node:readline';

const [sdk, via] = process.argv.slice(2);
const { Client, InMemoryTransport } =
  sdk === 'v1'
    ? {
        ...(await import('@modelcontextprotocol/sdk/client/index.js')),
        ...(await import('@modelcontextprotocol/sdk/inMemory.js')),
      }
    : await import('@modelcontextprotocol/client');
const { StdioClientTransport } = await import(
  sdk === 'v1' ? '@modelcontextprotocol/sdk/client/stdio.js' : '@modelcontextprotocol/client/stdio'
);
const { makeServer } = await import(`./${sdk}-server.mjs`);

const client = new Client({ name: 'bench', version: '1.0.0' });
if (via === 'stdio') {
  const args = [new URL(`${sdk}-server.mjs`, import.meta.url).pathname, 'serve'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
} else {
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  await makeServer().connect(theirs);
  await client.connect(mine);
}
await client.listTools();

const text = 'x'.repeat(1024);
const commands = {
  async calls(count) {
    // Processor time, not the clock's: it says what the sensor costs on a machine that does other things too.
    const start = process.cpuUsage();
    for (let call = 0; call < count; call++) await client.callTool({ name: 'echo', arguments: { text } });
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000 / count;
  },
  async big(bytes) {
    await client.callTool({ name: 'echo', arguments: { text: Buffer.alloc(bytes, 'y').toString('latin1') } });
    return process.resourceUsage().maxRSS * 1024;
  },
  async memory() {
    globalThis.gc();
    return { rss: process.memoryUsage().rss, heap: process.memoryUsage().heapUsed };
  },
};
console.log('"ready"');
for await (const line of createInterface({ input: process.stdin })) {
  const [name, argument] = line.split(' ');
  console.log(JSON.stringify(await commands[name](Number(argument))));
}
process.exit(0);
