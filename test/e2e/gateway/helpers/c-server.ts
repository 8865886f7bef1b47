import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { execa } from 'execa';

import { make } from '../../../images/recipe.ts';

const SOURCE = join(import.meta.dirname, '../programs/server.c');

/** An image of nothing but a server written in C, as `/server`. */
export function cServer(): Promise<string> {
  return make({
    name: 'mcp-c',
    inputs: [readFileSync(SOURCE)],
    changes: ['ENTRYPOINT ["/server"]'],
    fill: async (root) => {
      await execa('musl-gcc', ['-static', '-Os', '-Wall', '-Werror', '-o', join(root, 'server'), SOURCE]);
    },
  });
}
