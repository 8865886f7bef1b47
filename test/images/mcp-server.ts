import { copyFileSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { execa } from 'execa';

import { nodeRecipe } from './node.ts';
import { make } from './recipe.ts';

const MANIFESTS = ['package.json', 'package-lock.json'] as const;
const SERVERS = ['mcp-server-filesystem', 'mcp-server-everything'] as const;

/**
 * The published servers `@modelcontextprotocol/server-filesystem` and `-everything`, pinned by the lock file beside
 * this; both programs are in PATH, `mcp-server-everything` is the command.
 */
export function mcpServer(): Promise<string> {
  const base = nodeRecipe();
  const manifests = MANIFESTS.map((name) => join(import.meta.dirname, 'mcp-server', name));
  return make({
    name: 'mcp-server',
    inputs: [...base.inputs, ...manifests.map((file) => readFileSync(file))],
    changes: [...base.changes, 'CMD ["mcp-server-everything"]'],
    fill: async (root) => {
      base.fill(root);
      const app = join(root, 'opt/mcp');
      mkdirSync(app, { recursive: true });
      MANIFESTS.forEach((name, index) => copyFileSync(manifests[index] ?? '', join(app, name)));
      await execa('npm', ['ci', '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund'], { cwd: app });
      for (const server of SERVERS) {
        symlinkSync(`/opt/mcp/node_modules/.bin/${server}`, join(root, 'usr/local/bin', server));
      }
    },
  });
}
