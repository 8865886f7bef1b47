import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { busyboxInputs, fillBusybox, PATH } from '../../test/images/busybox.ts';
import { make } from '../../test/images/recipe.ts';
import { put } from '../../test/e2e/kernel/image.ts';

/** Programs that an image has for first executions. */
const FIRSTS = 400;
const SPAWN = resolve(import.meta.dirname, '../../test/fixtures/exec/spawn.c');
const ATTACK = resolve(import.meta.dirname, '../../test/fixtures/exec/attack.c');
const NOTHING = 'int main(void) { return 0; }\n';

/** Many applets started by a shell, as a configure script does. */
const SCRIPT =
  'i=0; while [ $i -lt 150 ]; do echo $i | sed s/1/2/ | cat >/dev/null; expr $i + 1 >/dev/null; i=$((i+1)); done\n';

/** BusyBox, `/opt/spawn`, `/opt/nothing`, the same as `/opt/first/N`, and `/opt/script`. */
export async function spawners(): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'ucp-bench-'));
  const [spawn, nothing, attack] = [join(dir, 'spawn'), join(dir, 'nothing'), join(dir, 'attack')];
  try {
    execFileSync('cc', ['-O2', '-static', '-D_GNU_SOURCE', '-o', spawn, SPAWN]);
    execFileSync('cc', ['-O1', '-static', '-D_GNU_SOURCE', '-Wno-unused-result', '-o', attack, ATTACK]);
    execFileSync('cc', ['-O2', '-static', '-s', '-o', nothing, '-x', 'c', '-'], { input: NOTHING });
    const fill = (root: string): void => {
      fillBusybox(root);
      put(root, spawn, '/opt/spawn');
      put(root, attack, '/opt/attack');
      put(root, nothing, '/opt/nothing');
      for (let at = 0; at < FIRSTS; at += 1) put(root, nothing, `/opt/first/${at}`);
      writeFileSync(join(root, 'opt/script'), SCRIPT, { mode: 0o755 });
    };
    return await make({
      name: 'exec-bench',
      inputs: [...busyboxInputs(), readFileSync(SPAWN), readFileSync(ATTACK), NOTHING, SCRIPT, fill.toString()],
      changes: [`ENV ${PATH}`, 'CMD ["sleep", "100000"]'],
      fill,
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
