import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { main } from './main.ts';

/** What a run of `ucp-policy` did. */
export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A directory, and `ucp-policy` run in this process; for tests. */
export class PolicyCli implements Disposable {
  readonly dir = mkdtempSync(join(tmpdir(), 'ucp-policy-'));

  path(name: string): string {
    return join(this.dir, name);
  }

  write(name: string, content: string | object | Uint8Array): string {
    const data = typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content);
    writeFileSync(this.path(name), data);
    return this.path(name);
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  async run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
    const written = { stdout: '', stderr: '' };
    const stream = (name: 'stdout' | 'stderr') => ({
      write(text: string) {
        written[name] += text;
      },
    });
    const io = { stdout: stream('stdout'), stderr: stream('stderr'), env };
    const exitCode = await main(args, resolve(import.meta.dirname, '../../..'), io);
    return { exitCode, ...written };
  }

  [Symbol.dispose](): void {
    rmSync(this.dir, { recursive: true });
  }
}
