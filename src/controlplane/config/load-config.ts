import { readFileSync } from 'node:fs';

import { toUcpError, UcpError } from '../../core/errors.ts';
import type { Clock, Logger } from '../../core/ports.ts';
import { field } from '../../core/unknown.ts';
import { s3Object } from '../source/s3-object.ts';
import { writeAtomically } from '../state/write-atomically.ts';
import { type Location, locationText, parseLocation } from './location.ts';
import { Config } from './schema.ts';

/** A configuration is a page of text. */
const MAX_CONFIG = 256 * 1024;

/** A configuration and where it came from; `found` is false where no file is there and none was asked for. */
export interface LoadedConfig {
  readonly config: Config;
  readonly from: string;
  readonly found: boolean;
}

export interface ConfigAccess {
  /** File that keeps the last good configuration of a bucket; undefined: none is kept or used. */
  readonly copy: string | undefined;
  /** True: the copy is written, and never read. */
  readonly fresh?: boolean;
  /** Base URL of an S3-compatible store. */
  readonly endpoint: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Reads the configuration from a path or URL. A file that nobody named (`required` false) may be absent: then all is at
 * its default. A bucket that can't be read, or holds nonsense now, is answered by the last good copy. Rejects with
 * CONFIG_INVALID, FILE_UNREADABLE, POLICY_SOURCE_MISSING, _DENIED or _UNREACHABLE.
 */
export async function loadConfig(from: string, required: boolean, access: ConfigAccess): Promise<LoadedConfig> {
  const location = parseLocation(from);
  return location.kind === 'file' ? fromFile(location.path, required) : fromBucket(location, access);
}

async function fromFile(path: string, required: boolean): Promise<LoadedConfig> {
  try {
    return await parsed(readFileSync(path, 'utf8'), path);
  } catch (cause) {
    if (cause instanceof UcpError) throw cause;
    if (field(cause, 'code') === 'ENOENT' && !required) return { config: Config.parse({}), from: path, found: false };
    throw new UcpError('FILE_UNREADABLE', `The configuration ${path} can't be read: ${String(cause)}.`, { cause });
  }
}

async function fromBucket(location: Extract<Location, { kind: 's3' }>, access: ConfigAccess): Promise<LoadedConfig> {
  const name = locationText(location);
  try {
    const { clock, endpoint } = access;
    const found = await s3Object(location, { region: undefined, endpoint, clock }).get(undefined, MAX_CONFIG);
    const text = found === 'unchanged' ? '' : Buffer.from(found.bytes).toString('utf8');
    // An upload that went wrong must not put the built-in policy in the place of the signed one.
    if (text.trim() === '') throw new UcpError('CONFIG_INVALID', `${name} is empty.`);
    const loaded = await parsed(text, name);
    keep(text, access);
    return loaded;
  } catch (thrown) {
    const copy = await parsedCopy(name, access);
    if (copy === undefined) throw thrown;
    access.logger.error('the last good configuration is used', { cause: toUcpError(thrown).message });
    return copy;
  }
}

async function parsed(text: string, name: string): Promise<LoadedConfig> {
  // The YAML library costs memory that a control plane without a file does not need.
  const { parseConfig } = await import('./parse-config.ts');
  return { config: parseConfig(text, name), from: name, found: true };
}

function keep(text: string, { copy, logger }: ConfigAccess): void {
  if (copy === undefined) return;
  try {
    writeAtomically(copy, text, { mode: 0o600, durable: true });
  } catch (cause) {
    logger.warn('the configuration can not be kept for a start without network', { cause: String(cause) });
  }
}

async function parsedCopy(name: string, { copy, fresh }: ConfigAccess): Promise<LoadedConfig | undefined> {
  if (copy === undefined || fresh === true) return undefined;
  try {
    return await parsed(readFileSync(copy, 'utf8'), name);
  } catch {
    return undefined;
  }
}
