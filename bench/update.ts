import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { SENSOR_POLICY } from '../src/core/plan.ts';
import { field } from '../src/core/unknown.ts';
import { connectFirst } from '../src/sandbox/client/connect.ts';
import type { ControlClient } from '../src/sandbox/client/control-client.ts';
import { busybox } from '../test/images/index.ts';
import { machine } from './lib/machine.ts';
import { median } from './lib/measure.ts';
import { duration, goal, table } from './lib/table.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** Sandboxes that are started at a time. */
const TOGETHER = 4;

/**
 * `npm run bench -- update [--counts 1,10,50,100] [--rounds N]`: a signed policy is published to a directory; from
 * `ucpd sync`'s request until the last running sandbox's policy file, as the host reads it, carries its generation.
 */
export async function run(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: { counts: { type: 'string', default: '1,10,50,100' }, rounds: { type: 'string', default: '7' } },
  });
  const counts = values.counts.split(',').map(Number);
  const site = new Site();
  try {
    const image = await busybox();
    const rows: (readonly string[])[] = [];
    let last = Number.NaN;
    for (const count of counts) {
      await site.grow(image, count);
      const times: Update[] = [];
      for (let round = -1; round < Number(values.rounds); round++) {
        const update = await site.update();
        if (round >= 0) times.push(update);
      }
      const inForce = times.map(({ last: ms }) => ms);
      last = median(inForce);
      const answered = median(times.map(({ answered: ms }) => ms));
      rows.push([String(count), duration(last), duration(Math.max(...inForce)), duration(answered)]);
    }
    console.log(`${machine()}; ${values.rounds} updates each\n`);
    console.log(table(['sandboxes', 'in force in all, median', 'slowest', '`sync` answered, median'], rows));
    console.log('');
    return goal(`a policy in force in ${counts.at(-1)} sandboxes`, last / 1000, 1, 's');
  } finally {
    await site.close();
  }
}

/** Milliseconds from the request on. */
interface Update {
  readonly last: number;
  readonly answered: number;
}

/** A control plane that takes its policy from a directory, and its sandboxes. */
class Site {
  readonly #dir = mkdtempSync(join(tmpdir(), 'ucp-bench-update-'));
  readonly #state = join(this.#dir, 's');
  readonly #env = { ...process.env, UCP_STATE_DIR: this.#state, UCP_CONFIG: join(this.#dir, 'config.yaml') };
  readonly #names: string[] = [];
  #version = 0;
  #client: ControlClient | undefined;

  constructor() {
    const url = (name: string): string => `file://${join(this.#dir, name)}`;
    const lines = [`policy_url: ${url('')}`, 'policy: policy.json', 'policy_sig: policy.json.sig'];
    const config = ['ucpcm:', ...[...lines, `public_key: ${url('key.pub')}`].map((line) => `  ${line}`)];
    writeFileSync(this.#env.UCP_CONFIG, `${config.join('\n')}\n`);
    ran('ucp-policy', ['keygen', '--out', join(this.#dir, 'key')], this.#env);
    this.#publish();
  }

  /** Starts sandboxes until there are `count`. */
  async grow(image: string, count: number): Promise<void> {
    while (this.#names.length < count) {
      const names = Array.from({ length: Math.min(TOGETHER, count - this.#names.length) }, (_, index) => {
        return `ucp-bench-update-${process.pid}-${this.#names.length + index}`;
      });
      this.#names.push(...names);
      await Promise.all(names.map((name) => started(['run', '-d', '--name', name, image, 'sleep', '3600'], this.#env)));
    }
    this.#client ??= await connectFirst([join(this.#state, 'ucpd.sock')]);
  }

  /** Publishes another version and waits until it is everywhere. */
  async update(): Promise<Update> {
    const client = this.#client;
    if (client === undefined) throw new Error('no control plane answers');
    this.#publish();
    const files = readdirSync(join(this.#state, 'sandboxes')).map((id) =>
      join(this.#state, 'sandboxes', id, SENSOR_POLICY),
    );
    if (files.length !== this.#names.length) throw new Error(`${files.length} of ${this.#names.length} sandboxes run`);
    const start = performance.now();
    let answered = Number.NaN;
    const synced = client.call('sync', {}).then((result) => {
      answered = performance.now() - start;
      return result;
    });
    // In the order in which they are written: the last one read is the last one written.
    for (const file of files) while (versionIn(file) !== this.#version) await setImmediate();
    const last = performance.now() - start;
    const result = await synced;
    const generations = new Set(files.map((file) => numberIn(file, 'generation')));
    if (generations.size !== 1 || !generations.has(Number(field(field(result, 'policy'), 'generation')))) {
      throw new Error(`sandboxes are at generations ${[...generations].join(', ')}: ${JSON.stringify(result)}`);
    }
    return { last, answered };
  }

  async close(): Promise<void> {
    this.#client?.close();
    for (let at = 0; at < this.#names.length; at += TOGETHER) {
      await Promise.all(this.#names.slice(at, at + TOGETHER).map((name) => this.#remove(name)));
    }
    spawnSync(process.execPath, [join(ROOT, 'bin/ucpd.js'), 'stop'], { env: this.#env, stdio: 'ignore' });
    rmSync(this.#dir, { recursive: true, force: true });
  }

  /** By the engine itself where `rm` fails: nothing of a benchmark stays. */
  async #remove(name: string): Promise<void> {
    try {
      await started(['rm', '-f', name], this.#env);
    } catch (thrown) {
      console.error(thrown);
      spawnSync('docker', ['rm', '-f', name], { stdio: 'ignore' });
    }
  }

  /** A policy of every sensor's sections, and its signature; the signature last, as `ucp-policy publish` does. */
  #publish(): void {
    this.#version += 1;
    const base: Record<string, unknown> = JSON.parse(readFileSync(join(ROOT, 'profiles/policy/full.json'), 'utf8'));
    const path = join(this.#dir, 'policy.json');
    writeFileSync(path, JSON.stringify({ ...base, policy_id: 'bench', version: this.#version }));
    rmSync(`${path}.sig`, { force: true });
    ran('ucp-policy', ['sign', path, '--key', join(this.#dir, 'key')], this.#env);
  }
}

function versionIn(file: string): number {
  return numberIn(file, 'version');
}

/** A number of a sensors' policy file, whose head is enough to find it. */
function numberIn(file: string, key: string): number {
  return Number(new RegExp(`"${key}":(\\d+)`).exec(readFileSync(file, 'utf8'))?.[1]);
}

function ran(program: string, args: readonly string[], env: NodeJS.ProcessEnv): void {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, `bin/${program}.js`), ...args], { env });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${String(stderr)}`);
}

/** Runs `ucp-sandbox` to its end. */
async function started(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(process.execPath, [join(ROOT, 'bin/ucp-sandbox.js'), ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const code = await new Promise((done) => child.once('close', done));
  if (code !== 0) throw new Error(`ucp-sandbox ${args.join(' ')} ended with ${String(code)}: ${said}`);
}
