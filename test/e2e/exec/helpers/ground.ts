import { execFileSync } from 'node:child_process';
import { linkSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { busyboxInputs, fillBusybox, PATH } from '../../../images/busybox.ts';
import { make } from '../../../images/recipe.ts';
import { libraries, put } from '../../kernel/image.ts';
import { ATTACKS } from '../attacks.ts';

/** Says that it ran, on a line of its own. */
const WITNESS = '#include <stdio.h>\nint main(void) { return puts("witness ran") < 0; }\n';
const FIXTURES = resolve(import.meta.dirname, '../../../fixtures');
const SOURCE = join(FIXTURES, 'exec/attack.c');
const CALLS = join(FIXTURES, 'syscall/try.c');
/** Denied programs of tests that are no scripts of the catalogue. */
const OTHERS = ['entry', 'storm', 'later', 'linked'];

/** Every program below /opt/denied that an attack names. */
function names(): readonly string[] {
  const text = ATTACKS.map(({ script }) => script).join('\n');
  const found = [...text.matchAll(/(?:\$D|\/opt\/denied|denied)\/([a-z]+)/g)].map(([, name = '']) => name);
  return [...new Set([...found, ...OTHERS])].filter((name) => !['denied', 'script', 'inner'].includes(name));
}

function fill(
  root: string,
  { witness, attack, calls }: Readonly<Record<'witness' | 'attack' | 'calls', string>>,
): void {
  fillBusybox(root);
  for (const name of [...names(), 'inner/hidden', 'chroot', 'bind']) put(root, witness, `/opt/denied/${name}`);
  for (const at of ['/opt/allowed', '/opt/tool-2.0', '/opt/interpreter']) put(root, witness, at);
  put(root, attack, '/opt/attack');
  put(root, calls, '/opt/calls');
  for (const library of libraries(witness)) put(root, library, library);
  linkSync(join(root, 'opt/denied/linked'), join(root, 'srv/linked'));
  symlinkSync('tool-2.0', join(root, 'opt/tool'));
  const script = (at: string, first: string): void =>
    writeFileSync(join(root, at), `${first}\necho witness ran\n`, { mode: 0o755 });
  script('opt/of-interpreter', '#!/opt/interpreter');
  script('opt/of-shell', '#!/bin/sh');
  script('opt/of-env', '#!/usr/bin/env /opt/denied/plain');
  script('opt/denied/script', '#!/bin/sh');
}

/** BusyBox, the witness under many names in /opt, its dynamic linker, scripts, and the program of attacks. */
export async function ground(): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'ucp-ground-'));
  try {
    const programs = { witness: join(dir, 'witness'), attack: join(dir, 'attack'), calls: join(dir, 'calls') };
    const { witness, attack, calls } = programs;
    execFileSync('cc', ['-O1', '-o', witness, '-x', 'c', '-'], { input: WITNESS });
    execFileSync('cc', [
      '-O1',
      '-static',
      '-D_GNU_SOURCE',
      '-Wall',
      '-Wextra',
      '-Wno-unused-result',
      '-o',
      attack,
      SOURCE,
    ]);
    execFileSync('cc', ['-O1', '-static', '-o', calls, CALLS]);
    return await make({
      name: 'exec-ground',
      inputs: [
        ...busyboxInputs(),
        WITNESS,
        readFileSync(SOURCE),
        readFileSync(CALLS),
        fill.toString(),
        ...names(),
        ...libraries(witness),
      ],
      changes: [`ENV ${PATH}`, 'CMD ["sh", "-c", "while :; do sleep 1000; done"]'],
      fill: (root) => fill(root, programs),
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
