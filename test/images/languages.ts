import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { execa } from 'execa';

import { goProgram } from './go.ts';
import { make } from './recipe.ts';

const SERVERS = join(import.meta.dirname, 'servers');

/** An image of nothing but one static program, `/server`, from the files of a folder below `servers`. */
async function server(
  language: string,
  files: readonly string[],
  build: (sources: string, program: string) => Promise<unknown>,
): Promise<string> {
  const sources = join(SERVERS, language);
  return make({
    name: `mcp-${language}`,
    inputs: files.map((file) => readFileSync(join(sources, file))),
    changes: ['ENTRYPOINT ["/server"]'],
    fill: async (root) => {
      await build(sources, join(root, 'server'));
    },
  });
}

/** A server with the official Go SDK. Needs Go, of any age, and its module proxy. */
export function goServer(): Promise<string> {
  return server('go', ['go.mod', 'go.sum', 'main.go'], async (cwd, program) =>
    execa(await goProgram(), ['build', '-trimpath', '-ldflags=-s -w', '-o', program, '.'], {
      cwd,
      env: { CGO_ENABLED: '0' },
    }),
  );
}

/** A server with the official Rust SDK. Needs cargo and its registry, and some minutes once. */
export function rustServer(): Promise<string> {
  return server('rust', ['Cargo.toml', 'src/main.rs'], async (cwd, program) => {
    const { stdout } = await execa('rustc', ['-vV']);
    const [, target = ''] = /^host: (.*)$/m.exec(stdout) ?? [];
    const built = mkdtempSync(join(tmpdir(), 'ucp-rust-'));
    try {
      cpSync(cwd, built, { recursive: true });
      const env = { RUSTFLAGS: '-C target-feature=+crt-static' };
      await execa('cargo', ['build', '--quiet', '--release', '--target', target], { cwd: built, env });
      copyFileSync(join(built, 'target', target, 'release/server'), program);
    } finally {
      rmSync(built, { recursive: true, force: true });
    }
  });
}
