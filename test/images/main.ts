/** `node test/images/main.ts NAME…` makes these images and prints their tags; without a name it lists the names. */
import { busybox, clients, mcpServer, node, python, scratch, traitMakers } from './index.ts';

const makers: Readonly<Record<string, () => Promise<string>>> = {
  busybox,
  scratch,
  node,
  clients,
  python,
  'mcp-server': mcpServer,
  ...traitMakers,
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => !(name in makers));
if (names.length === 0 || unknown.length > 0) {
  console.error(
    `Expected names of images, got ${unknown.join(' ') || 'none'}. There are: ${Object.keys(makers).join(' ')}`,
  );
  process.exit(2);
}
for (const name of names) console.log(await makers[name]?.());
