import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { z } from 'zod';

import type { Logger } from '../../core/ports.ts';
import type { PolicyPackage } from '../source/source.ts';
import { writeAtomically } from '../state/write-atomically.ts';

/** The original bytes of the policy that was active last, so that a warm start verifies what was verified before. */
export interface PersistedPolicy extends PolicyPackage {
  readonly generation: number;
  /** What the source called them. */
  readonly etag: string;
}

/** What is remembered for ever: against rollbacks, and for numbers that never come twice. */
export interface Memory {
  /** Last generation number given out. */
  readonly generation: number;
  /** What the last generation was given to. */
  readonly digest?: string | undefined;
  /** Highest version ever activated, and the digest it had. */
  readonly highest?: { readonly version: number; readonly digest: string } | undefined;
}

const Base64 = z.base64().transform((text): Uint8Array => Buffer.from(text, 'base64'));
const Persisted = z.object({
  format: z.literal(1),
  generation: z.int(),
  etag: z.string(),
  policy: Base64,
  signature: Base64,
  publicKey: Base64,
});
const Memorised = z.object({
  generation: z.int().nonnegative(),
  digest: z.string().optional(),
  highest: z.object({ version: z.int(), digest: z.string() }).optional(),
});

/**
 * `policy/active.json` and `policy/memory.json` in the state directory. Each is one file, replaced atomically, so policy
 * and signature are never of two minds. What can't be read counts as absent; what can't be written is logged and kept
 * in this process: a broken disk must not stop enforcement.
 */
export class PolicyStore {
  readonly #dir: string;
  readonly #logger: Logger;
  #memory: Memory;
  /** Why the last write failed, for `status`. */
  problem: string | undefined;

  constructor(stateDir: string, logger: Logger) {
    this.#dir = join(stateDir, 'policy');
    this.#logger = logger;
    this.#memory = this.#read('memory.json', Memorised) ?? { generation: 0 };
  }

  get memory(): Memory {
    return this.#memory;
  }

  remember(memory: Memory): void {
    this.#memory = memory;
    this.#write('memory.json', memory);
  }

  /** The number of a new activation; the bytes that had the last number keep it. On disk before anybody sees it. */
  generationOf(digest: string): number {
    if (this.#memory.digest === digest) return this.#memory.generation;
    this.remember({ ...this.#memory, generation: this.#memory.generation + 1, digest });
    return this.#memory.generation;
  }

  /**
   * The number of a policy that is put in force again. Where a newer one got a number, and perhaps into sandboxes, before
   * its activation was cut off, the number that was persisted would go back: another one is given out.
   */
  restoredGeneration(persisted: PersistedPolicy, digest: string): number {
    if (this.#memory.generation < persisted.generation) {
      this.remember({ ...this.#memory, generation: persisted.generation, digest });
    }
    const generation = this.generationOf(digest);
    if (generation !== persisted.generation) this.save({ ...persisted, generation });
    return generation;
  }

  load(): PersistedPolicy | undefined {
    return this.#read('active.json', Persisted);
  }

  save({ policy, signature, publicKey, generation, etag }: PersistedPolicy): void {
    const file = { format: 1, generation, etag, policy: base64(policy), signature: base64(signature) };
    this.#write('active.json', { ...file, publicKey: base64(publicKey) });
  }

  #read<T>(name: string, schema: z.ZodType<T>): T | undefined {
    const path = join(this.#dir, name);
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch {
      return undefined;
    }
    try {
      return schema.parse(JSON.parse(text));
    } catch (cause) {
      this.#logger.warn('a state file is broken and ignored', { path, cause: String(cause) });
      return undefined;
    }
  }

  #write(name: string, content: unknown): void {
    try {
      mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
      writeAtomically(join(this.#dir, name), JSON.stringify(content), { mode: 0o600, durable: true });
      this.problem = undefined;
    } catch (cause) {
      this.problem = String(cause);
      this.#logger.error('the policy state can not be written', { cause: this.problem });
    }
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
