import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { UcpError } from '../../core/errors.ts';
import { field } from '../../core/unknown.ts';

const FILE = 'owner';

/**
 * Makes the state directory where it is missing and returns its id: 32 hex digits, made once, the value of the label
 * `ucp.owner`. Racing control planes get the same one. Throws STATE_UNUSABLE.
 */
export function openStateDir(stateDir: string): string {
  const path = join(stateDir, FILE);
  try {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    return read(path) ?? create(path);
  } catch (cause) {
    throw new UcpError('STATE_UNUSABLE', `The state directory ${stateDir} can't be used: ${String(cause)}.`, { cause });
  }
}

function read(path: string): string | undefined {
  try {
    const id = readFileSync(path, 'utf8');
    return /^[0-9a-f]{32}$/.test(id) ? id : undefined;
  } catch (error) {
    if (field(error, 'code') === 'ENOENT') return undefined;
    throw error;
  }
}

/** Written aside and linked, so that whoever loses the race reads the winner's whole id. */
function create(path: string): string {
  const id = randomBytes(16).toString('hex');
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, id, { mode: 0o600 });
  try {
    linkSync(aside, path);
    return id;
  } catch (error) {
    const winner = field(error, 'code') === 'EEXIST' ? read(path) : undefined;
    if (winner === undefined) throw error;
    return winner;
  } finally {
    rmSync(aside, { force: true });
  }
}
