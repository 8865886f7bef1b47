import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { busyboxInputs, fillBusybox, PATH } from '../../images/busybox.ts';
import { make } from '../../images/recipe.ts';

/** Says that it ran, on a line of its own: what a test looks for. */
const WITNESS = '#include <stdio.h>\nint main(void) { return puts("witness ran") < 0; }\n';

/** Programs that tests run inside; each says itself what it does. */
const TOOLS = ['storm', 'crowd', 'mapper'] as const;
const toolSource = (name: string): string => readFileSync(new URL(`${name}.c`, import.meta.url), 'utf8');

/** Each attack has a denied file that no other one has touched. */
const CASES =
  'symlink hard rename alias dots loader copy exec update observe detach loss nested other script linked'.split(' ');

/** The dynamic linker and the libraries of a program, as paths. */
export function libraries(program: string): readonly string[] {
  const linked = execFileSync('ldd', [program], { encoding: 'utf8' });
  return [...linked.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path);
}

export function put(root: string, from: string, at: string): void {
  mkdirSync(join(root, dirname(at)), { recursive: true });
  copyFileSync(from, join(root, at));
  chmodSync(join(root, at), 0o755);
}

function compile(source: string, program: string): string {
  execFileSync('cc', ['-O1', '-o', program, '-x', 'c', '-'], { input: source });
  return program;
}

function fill(root: string, dir: string): void {
  const witness = join(dir, 'witness');
  fillBusybox(root);
  for (const name of TOOLS) put(root, join(dir, name), `/opt/${name}`);
  for (const name of CASES) put(root, witness, `/opt/denied/${name}`);
  for (const at of ['/opt/allowed', '/opt/changed', '/opt/tool-2.0', '/opt/interpreter']) put(root, witness, at);
  for (const library of libraries(witness)) put(root, library, library);
  linkSync(join(root, 'opt/denied/linked'), join(root, 'srv/linked'));
  symlinkSync('tool-2.0', join(root, 'opt/tool'));
  writeFileSync(join(root, 'opt/of-interpreter'), '#!/opt/interpreter\n', { mode: 0o755 });
  writeFileSync(join(root, 'opt/of-shell'), '#!/bin/sh\necho witness ran\n', { mode: 0o755 });
  writeFileSync(join(root, 'opt/denied/script'), '#!/bin/sh\necho witness ran\n', { mode: 0o755 });
}

/** BusyBox, the witness under many names in /opt, its dynamic linker, and scripts. */
export async function witnesses(): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'ucp-witness-'));
  try {
    const witness = compile(WITNESS, join(dir, 'witness'));
    for (const name of TOOLS) compile(toolSource(name), join(dir, name));
    const files = libraries(witness);
    return await make({
      name: 'witnesses',
      inputs: [
        ...busyboxInputs(),
        WITNESS,
        ...TOOLS.map(toolSource),
        fill.toString(),
        ...CASES,
        ...files,
        ...files.map((file) => readFileSync(file)),
      ],
      changes: [`ENV ${PATH}`, 'CMD ["sh", "-c", "while :; do sleep 1000; done"]'],
      fill: (root) => fill(root, dir),
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** An image of one static program, as the entrypoint. */
export function helperImage(program: string): Promise<string> {
  return make({
    name: 'kernel-helper',
    inputs: [readFileSync(program)],
    changes: ['ENTRYPOINT ["/ucp-kernel"]'],
    fill: (root) => put(root, program, '/ucp-kernel'),
  });
}
