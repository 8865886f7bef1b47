import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, globSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The shared libraries that `programs` load, as the host's dynamic linker finds them, and libc's for names and DNS. */
export function libraries(...programs: readonly string[]): readonly string[] {
  const linked = execFileSync('ldd', programs, { encoding: 'utf8' });
  const direct = [...linked.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path);
  const libc = direct.find((path) => /\/libc\.so/.test(path));
  const loaded = libc === undefined ? [] : globSync(`${dirname(libc)}/lib{nss_files,nss_dns,resolv}.so.2`);
  return [...new Set([...direct, ...loaded])].toSorted();
}

/** Copies a program or library of the host into an image. */
export function place(root: string, file: string, at: string): void {
  mkdirSync(join(root, dirname(at)), { recursive: true });
  copyFileSync(file, join(root, at));
  chmodSync(join(root, at), 0o755);
}
