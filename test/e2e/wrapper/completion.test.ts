import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect } from 'vitest';

import { busybox } from '../../images/index.ts';
import { TestHost } from '../helpers/host.ts';
import { verifies } from '../helpers/verifies.ts';

const PROGRAM = join(resolve(import.meta.dirname, '../../..'), 'bin/ucp-sandbox.js');

/** Types at a zsh of its own, whose completion puts the only candidate into the line. */
const ZSH = String.raw`
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; autoload -Uz compinit; compinit -u -D; source <(ucp-sandbox completion zsh); bindkey "^I" complete-word; print REA''DY'
zpty -r shell out '*READY*'
zpty -w -n shell "ucp-sandbox $1"$'\t'
zpty -r shell out "*$2*" && print found
`;

describe('completion', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = new TestHost();
    mkdirSync(host.path('bin'));
    writeFileSync(host.path('bin/ucp-sandbox'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`);
    chmodSync(host.path('bin/ucp-sandbox'), 0o755);
    const image = await busybox();
    await host.sandbox(['mcp', 'add', '--no-check', 'notes', image]);
    await host.sandbox(['run', '-d', '--name', 'web-1', image, 'sleep', '300']);
  });
  afterAll(async () => {
    await host.sandbox(['rm', '--force', 'web-1']);
    await host[Symbol.asyncDispose]();
  });

  /** What fish offers at the end of a line. */
  async function fishOffers(line: string): Promise<readonly string[]> {
    const script = 'ucp-sandbox completion fish | source; complete -C $argv[1]';
    const { stdout } = await execa('fish', ['-c', script, line], { env: shellEnv(), extendEnv: false, cwd: host.dir });
    return stdout.split('\n');
  }

  const shellEnv = (): NodeJS.ProcessEnv => ({
    ...host.env,
    PATH: `${host.path('bin')}:${host.env['PATH']}`,
    TERM: 'xterm',
  });

  verifies(['WR-08'], 'fish offers verbs, names, and files where we have nothing to say', async () => {
    expect(await fishOffers('ucp-sandbox mcp u')).toEqual(['update']);
    expect(await fishOffers('ucp-sandbox stop web')).toEqual(['web-1']);
    expect(await fishOffers('ucp-sandbox run --env-file bi')).toEqual(['bin/']);
  });

  verifies(['WR-08'], 'zsh puts what it is offered into the line', async () => {
    const typed = await execa('zsh', ['-c', ZSH, 'zsh', 'mcp u', 'ucp-sandbox mcp update'], {
      env: shellEnv(),
      extendEnv: false,
      timeout: 120_000,
    });
    expect(typed.stdout).toBe('found');
  });

  /** What bash offers after these words; the last one is the one being typed. */
  async function offered(...words: readonly string[]): Promise<readonly string[]> {
    const script = [
      'source <(ucp-sandbox completion bash)',
      'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))',
      `_ucp_sandbox; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ].join('\n');
    const env = { ...host.env, PATH: `${host.path('bin')}:${host.env['PATH']}` };
    const { stdout } = await execa('bash', ['-c', script, 'bash', 'ucp-sandbox', ...words], { env, extendEnv: false });
    return stdout.split('\n').filter((word) => word !== '');
  }

  verifies(['WR-08'], 'offers verbs, flags, and the names of sandboxes, servers and clients', async () => {
    expect(await offered('')).toEqual(expect.arrayContaining(['run', 'mcp', 'client', 'doctor', 'completion']));
    expect(await offered('mcp', 'u')).toEqual(['update']);
    expect(await offered('run', '--net')).toEqual(['--network', '--network-config']);
    expect(await offered('stop', 'web')).toEqual(['web-1']);
    expect(await offered('mcp', 'run', '')).toEqual(['notes']);
    expect(await offered('client', 'setup', '--server', 'n')).toEqual(['notes']);
    expect(await offered('client', 'setup', 'c')).toEqual(['claude-code', 'claude-desktop', 'codex', 'cursor']);
    expect(await offered('run', '--name', '')).toEqual([]);
  });
});
