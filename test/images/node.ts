import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import { busyboxInputs, fillBusybox, PATH } from './busybox.ts';
import { make, type Recipe } from './recipe.ts';

/** Node 24 of the npm package `node`, whatever Node runs this. */
const NODE = resolve(import.meta.dirname, '../../node_modules/node/bin/node');

/** The shared libraries that Node loads, as the host's dynamic linker finds them, and libc's for names and DNS. */
function libraries(): readonly string[] {
  const linked = execFileSync('ldd', [NODE], { encoding: 'utf8' });
  const direct = [...linked.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path);
  const libc = direct.find((path) => /\/libc\.so/.test(path));
  const loaded = libc === undefined ? [] : globSync(`${dirname(libc)}/lib{nss_files,nss_dns,resolv}.so.2`);
  return [...new Set([...direct, ...loaded])].toSorted();
}

/** Busybox and Node at /usr/local/bin/node: the base of the images with JavaScript in them. */
export function nodeRecipe(): Pick<Recipe, 'inputs' | 'changes'> & { fill(root: string): void } {
  const files = libraries();
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

function place(root: string, file: string, at: string): void {
  mkdirSync(join(root, dirname(at)), { recursive: true });
  copyFileSync(file, join(root, at));
  chmodSync(join(root, at), 0o755);
}

/** BusyBox and Node 24; `node` as command. */
export function node(): Promise<string> {
  return make({ name: 'node', ...nodeRecipe() });
}
