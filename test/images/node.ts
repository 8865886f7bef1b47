import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { busyboxInputs, fillBusybox, PATH } from './busybox.ts';
import { libraries, place } from './linked.ts';
import { make, type Recipe } from './recipe.ts';

/** Node 24 of the npm package `node`, whatever Node runs this. */
const NODE = resolve(import.meta.dirname, '../../node_modules/node/bin/node');

/** Busybox and Node at /usr/local/bin/node: the base of the images with JavaScript in them. */
export function nodeRecipe(): Pick<Recipe, 'inputs' | 'changes'> & { fill(root: string): void } {
  const files = libraries(NODE);
  return {
    inputs: [...busyboxInputs(), ...files, ...files.map((file) => readFileSync(file)), readFileSync(NODE)],
    changes: [`ENV ${PATH}`, 'CMD ["node"]'],
    fill: (root) => {
      fillBusybox(root);
      for (const file of files) place(root, file, file);
      place(root, NODE, '/usr/local/bin/node');
    },
  };
}

/** BusyBox and Node 24; `node` as command. */
export function node(): Promise<string> {
  return make({ name: 'node', ...nodeRecipe() });
}
