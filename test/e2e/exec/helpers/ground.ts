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
/** Says the same without any library: as an ELF interpreter it is loaded in the place of one. */
const WITNESS_WHOLE = `__asm__(".globl _start\\n_start:\\n"
#ifdef __aarch64__
"mov x0, #1\\nadr x1, said\\nmov x2, #12\\nmov x8, #64\\nsvc #0\\nmov x0, #0\\nmov x8, #93\\nsvc #0\\n"
#else
"mov $1, %eax\\nmov $1, %edi\\nlea said(%rip), %rsi\\nmov $12, %edx\\nsyscall\\nmov $60, %eax\\nxor %edi, %edi\\nsyscall\\n"
#endif
"said: .ascii \\"witness ran\\\\n\\"\\n");
`;
/** Says the same as 32-bit code, where the processor has it. */
const WITNESS_32 = `.globl _start
_start: mov $4, %eax
mov $1, %ebx
mov $said, %ecx
mov $12, %edx
int $0x80
mov $1, %eax
xor %ebx, %ebx
int $0x80
.data
said: .ascii "witness ran\\n"
`;
/** Denied programs of tests that are no scripts of the catalogue. */
const OTHERS = ['entry', 'storm', 'later', 'linked'];
/** Programs that are made for the ground, by their names there. */
type Programs = Readonly<Record<'witness' | 'attack' | 'calls' | 'whole' | 'elf' | 'elf-denied' | 'witness32', string>>;

/** Every program below /opt/denied that an attack names. */
function names(): readonly string[] {
  const text = ATTACKS.map(({ script }) => script).join('\n');
  const found = [...text.matchAll(/(?:\$D|\/opt\/denied|denied)\/([a-z]+)/g)].map(([, name = '']) => name);
  return [...new Set([...found, ...OTHERS])].filter(
    (name) => !['denied', 'script', 'stdin', 'inner', 'x'].includes(name),
  );
}

function fill(root: string, { witness, attack, calls, whole, witness32, ...elves }: Programs): void {
  fillBusybox(root);
  for (const name of [...names(), 'inner/hidden', 'chroot', 'bind']) put(root, witness, `/opt/denied/${name}`);
  for (const at of ['/opt/allowed', '/opt/tool-2.0', '/opt/interpreter']) put(root, witness, at);
  put(root, attack, '/opt/attack');
  put(root, calls, '/opt/calls');
  // Loaded by the kernel as the interpreter of the programs below, so without one of its own.
  for (const at of ['/opt/denied/interp', '/opt/interp']) put(root, whole, at);
  for (const [name, program] of Object.entries(elves)) put(root, program, `/opt/${name}`);
  if (process.arch === 'x64') for (const at of ['/opt/denied32/program', '/opt/allowed32']) put(root, witness32, at);
  for (const library of libraries(witness)) put(root, library, library);
  linkSync(join(root, 'opt/denied/linked'), join(root, 'srv/linked'));
  symlinkSync('tool-2.0', join(root, 'opt/tool'));
  const script = (at: string, first: string): void =>
    writeFileSync(join(root, at), `${first}\necho witness ran\n`, { mode: 0o755 });
  script('opt/of-interpreter', '#!/opt/interpreter');
  script('opt/of-shell', '#!/bin/sh');
  script('opt/of-env', '#!/usr/bin/env /opt/denied/plain');
  script('opt/denied/stdin', '#!/bin/sh');
  for (const [last, name] of [
    ['/opt/interpreter', 'chain-denied'],
    ['/opt/allowed', 'chain'],
  ] as const) {
    script(`opt/${name}-4`, `#!${last}`);
    script(`opt/${name}-3`, `#!/opt/${name}-4`);
    script(`opt/${name}-2`, `#!/opt/${name}-3`);
    script(`opt/${name}`, `#!/opt/${name}-2`);
  }
  script('opt/denied/script', '#!/bin/sh');
}

/** BusyBox, the witness under many names in /opt, its dynamic linker, scripts, and the program of attacks. */
export async function ground(): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'ucp-ground-'));
  try {
    const at = (name: string): string => join(dir, name);
    const programs: Programs = {
      witness: at('witness'),
      attack: at('attack'),
      calls: at('calls'),
      whole: at('whole'),
      elf: at('elf'),
      'elf-denied': at('elf-denied'),
      witness32: at('witness32'),
    };
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
    execFileSync('cc', ['-nostdlib', '-static-pie', '-o', programs.whole, '-x', 'c', '-'], { input: WITNESS_WHOLE });
    for (const [name, interp] of [
      ['elf', '/opt/interp'],
      ['elf-denied', '/opt/denied/interp'],
    ] as const) {
      const words = ['-O1', `-Wl,--dynamic-linker=${interp}`, '-o', programs[name], '-x', 'c', '-'];
      execFileSync('cc', words, { input: WITNESS });
    }
    if (process.arch === 'x64') {
      const words = ['-m32', '-nostdlib', '-static', '-o', programs.witness32, '-x', 'assembler', '-'];
      execFileSync('cc', words, { input: WITNESS_32 });
    }
    return await make({
      name: 'exec-ground',
      inputs: [
        ...busyboxInputs(),
        WITNESS,
        WITNESS_32,
        WITNESS_WHOLE,
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
