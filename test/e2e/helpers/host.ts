import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { execa, type Options, type Result, type ResultPromise } from 'execa';

const ROOT = resolve(import.meta.dirname, '../../..');

/** What a program did: exit code and exact output. */
export interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Extra settings of a {@link TestHost}. */
export interface TestHostOptions {
  /** Contents of the control plane's config.yaml; none: built-in policy, no export. */
  readonly config?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * A user of UCP with a state directory of their own, so that test files share an engine and nothing else.
 * Disposing ends the control plane and fails when anything was left behind.
 */
export class TestHost {
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;

  constructor(options: TestHostOptions = {}) {
    this.dir = mkdtempSync(join(tmpdir(), 'ucp-e2e-'));
    const config = join(this.dir, 'config.yaml');
    if (options.config !== undefined) writeFileSync(config, options.config);
    this.env = {
      PATH: process.env['PATH'] ?? '',
      HOME: this.dir,
      UCP_STATE_DIR: join(this.dir, 's'),
      UCP_CONFIG: config,
      ...options.env,
    };
  }

  /** A path in the host's directory. */
  path(...parts: readonly string[]): string {
    return join(this.dir, ...parts);
  }

  /** Starts `ucp-sandbox` and leaves it to the caller. */
  spawn(args: readonly string[], options: Options = {}): ResultPromise {
    return execa(process.execPath, [join(ROOT, 'bin/ucp-sandbox.js'), ...args], this.#options(options));
  }

  /** Runs `ucp-sandbox` to its end. */
  async sandbox(args: readonly string[], options: Options = {}): Promise<Outcome> {
    return outcome(await this.spawn(args, { stdin: 'ignore', ...options }));
  }

  /** Runs `ucpd` with these arguments to its end. */
  async ucpd(args: readonly string[], options: Options = {}): Promise<Outcome> {
    return outcome(
      await execa(
        process.execPath,
        [join(ROOT, 'bin/ucpd.js'), ...args],
        this.#options({ stdin: 'ignore', ...options }),
      ),
    );
  }

  /** Runs `ucp-policy` with these arguments to its end. */
  async policy(args: readonly string[]): Promise<Outcome> {
    return outcome(
      await execa(process.execPath, [join(ROOT, 'bin/ucp-policy.js'), ...args], this.#options({ stdin: 'ignore' })),
    );
  }

  /** Directories of sandboxes that exist now. */
  sandboxDirs(): readonly string[] {
    try {
      return readdirSync(join(this.dir, 's/sandboxes'));
    } catch {
      return [];
    }
  }

  /** Containers of this host, by name. */
  async containers(): Promise<readonly string[]> {
    const listed = await execa('docker', [
      'ps',
      '-a',
      '--filter',
      'label=ucp.sandbox',
      '--format',
      '{{.Names}}\t{{.Mounts}}',
      '--no-trunc',
    ]);
    return listed.stdout
      .split('\n')
      .filter((line) => line.includes(this.dir))
      .map((line) => line.split('\t')[0] ?? '');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.ucpd(['stop']);
    const left = { containers: await this.containers(), dirs: this.sandboxDirs() };
    rmSync(this.dir, { recursive: true, force: true });
    if (left.containers.length > 0 || left.dirs.length > 0) {
      throw new Error(`left behind: ${JSON.stringify(left)}`);
    }
  }

  #options(options: Options): Options {
    return {
      extendEnv: false,
      reject: false,
      stripFinalNewline: false,
      ...options,
      env: { ...this.env, ...options.env },
    };
  }
}

function outcome({ exitCode, stdout, stderr }: Pick<Result, 'exitCode' | 'stdout' | 'stderr'>): Outcome {
  return { exitCode: exitCode ?? -1, stdout: text(stdout), stderr: text(stderr) };
}

function text(output: unknown): string {
  return typeof output === 'string' ? output : '';
}
