import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { UcpError } from '../../core/errors.ts';
import { SENSOR_POLICY } from '../../core/plan.ts';
import type { SensorPolicyFile } from '../../core/sensor-protocol.ts';
import { writeAtomically } from '../state/write-atomically.ts';
import type { SandboxRecord } from './record.ts';

/**
 * The files of all sandboxes: `sandboxes/<id>/`, mounted into the container, and `records/<id>.json`, which is not.
 * Both parents are for us only; the container's user reaches its directory through the mount, whatever the parents say.
 */
export class SandboxDirs {
  readonly #sandboxes: string;
  readonly #records: string;

  constructor(stateDir: string) {
    this.#sandboxes = join(stateDir, 'sandboxes');
    this.#records = join(stateDir, 'records');
    for (const dir of [this.#sandboxes, this.#records]) mkdirSync(dir, { recursive: true, mode: 0o700 });
  }

  /** The directory of one sandbox, made or not. */
  path(sandboxId: string): string {
    return join(this.#sandboxes, sandboxId);
  }

  create(sandboxId: string): void {
    const dir = this.path(sandboxId);
    mkdirSync(dir);
    // Not by mkdir's mode: the process's umask would narrow it.
    chmodSync(dir, 0o755);
  }

  /** Replaces the sensors' policy file; a reader sees the old one or the new one. Throws STATE_UNUSABLE. */
  writePolicy(sandboxId: string, file: SensorPolicyFile): void {
    const path = join(this.path(sandboxId), SENSOR_POLICY);
    try {
      writeAtomically(path, JSON.stringify(file), { mode: 0o644, durable: false });
    } catch (cause) {
      throw new UcpError('STATE_UNUSABLE', `${path} can't be written: ${String(cause)}.`, { cause });
    }
  }

  writeRecord(record: SandboxRecord): void {
    const path = join(this.#records, `${record.sandboxId}.json`);
    writeAtomically(path, JSON.stringify(record), { mode: 0o600, durable: false });
  }

  /** The record of a sandbox, or undefined when it is missing or can't be understood. */
  readRecord(sandboxId: string): SandboxRecord | undefined {
    try {
      const record: SandboxRecord = JSON.parse(readFileSync(join(this.#records, `${sandboxId}.json`), 'utf8'));
      return record.sandboxId === sandboxId ? record : undefined;
    } catch {
      return undefined;
    }
  }

  /** Ids of all sandboxes that have a directory or a record. */
  ids(): readonly string[] {
    const records = readdirSync(this.#records).map((name) => name.replace(/\.json.*$/, ''));
    return [...new Set([...readdirSync(this.#sandboxes), ...records])];
  }

  remove(sandboxId: string): void {
    rmSync(join(this.#records, `${sandboxId}.json`), { force: true });
    rmSync(this.path(sandboxId), { recursive: true, force: true });
  }
}
