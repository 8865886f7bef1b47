import { realpath, stat } from 'node:fs/promises';

import { UcpError } from '../../core/errors.ts';
import type { MountRequest } from '../../core/run-request.ts';
import { field } from '../../core/unknown.ts';

/** A checked mount source and which file it was. */
export interface MountSource {
  readonly path: string;
  readonly dev: bigint;
  readonly ino: bigint;
}

/** Mounts with their sources free of symbolic links, and what those sources were when they were looked at. */
export interface ResolvedMounts {
  readonly mounts: readonly MountRequest[];
  readonly sources: readonly MountSource[];
}

/**
 * Resolves the bind sources: from here on policy, spec and engine all mean the same file, whatever links lead to it.
 * Throws MOUNT_SOURCE_MISSING.
 */
export async function resolveSources(mounts: readonly MountRequest[]): Promise<ResolvedMounts> {
  const resolved = await Promise.all(
    mounts.map(async (mount) => (mount.type === 'bind' ? { ...mount, source: await existing(mount.source) } : mount)),
  );
  const binds = resolved.filter(({ type }) => type === 'bind');
  return { mounts: resolved, sources: await Promise.all(binds.map(({ source }) => identify(source))) };
}

/**
 * FS-02: throws MOUNT_SOURCE_CHANGED when a path has become a link or another file since {@link resolveSources}. Called
 * between creation and start, so that what the engine is about to mount is what policy saw.
 */
export async function assertUnchanged(sources: readonly MountSource[]): Promise<void> {
  for (const { path, dev, ino } of sources) {
    const now = await realpath(path).then(identify, () => undefined);
    if (now?.path === path && now.dev === dev && now.ino === ino) continue;
    throw new UcpError(
      'MOUNT_SOURCE_CHANGED',
      `The mount source ${path} became another file while the sandbox was being created: find out who replaced it.`,
    );
  }
}

async function existing(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (cause) {
    const why = field(cause, 'code') === 'EACCES' ? 'may not be looked at by this user' : 'does not exist';
    throw new UcpError('MOUNT_SOURCE_MISSING', `The mount source ${path} ${why}: create it or correct the path.`, {
      cause,
    });
  }
}

async function identify(path: string): Promise<MountSource> {
  const { dev, ino } = await stat(path, { bigint: true });
  return { path, dev, ino };
}
