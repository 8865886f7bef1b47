import { chmodSync, globSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { execa } from 'execa';

/** What the official SDK needs, and the first version that fetches a newer one by itself. */
const NEEDED = '1.25.0';
const FETCHES = 21;

/** A `go` for {@link NEEDED}. Older ones (Debian 12 has 1.19) fetch it here as newer ones do: as a module. */
export async function goProgram(): Promise<string> {
  const { stdout } = await execa('go', ['env', 'GOVERSION', 'GOARCH']);
  const [, minor = '0', arch = ''] = /^go1\.(\d+)\S*\n(\w+)$/.exec(stdout) ?? [];
  if (Number(minor) >= FETCHES) return 'go';
  const module = `golang.org/toolchain@v0.0.1-go${NEEDED}.linux-${arch}`;
  const fetched = await execa('go', ['mod', 'download', '-json', module], { cwd: tmpdir() });
  const { Dir } = JSON.parse(fetched.stdout) as { Dir: string };
  // Modules have no programs: their files may not be run.
  for (const program of globSync(join(Dir, '{bin,pkg/tool/*}/*'))) chmodSync(program, 0o555);
  return join(Dir, 'bin/go');
}
