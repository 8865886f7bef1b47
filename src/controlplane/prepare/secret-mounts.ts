import { UcpError } from '../../core/errors.ts';
import type { MountRequest } from '../../core/run-request.ts';
import { MAX_SECRET, secretDir, type SecretRequest } from '../../core/secrets.ts';

/** Open to every user of the image, whose name only the image knows: each file is for its owner alone. */
const OPTIONS = `mode=1777,nosuid,nodev,noexec,size=${MAX_SECRET * 64}`;

/** Memory for the files of secrets, beside the user's mounts. Throws OPTIONS_REFUSED where one of those is in its place. */
export function secretMounts(
  secrets: readonly SecretRequest[] | undefined,
  others: readonly MountRequest[],
): readonly MountRequest[] {
  const dirs = new Set((secrets ?? []).flatMap(({ file }) => (file === undefined ? [] : [secretDir(file)])));
  return [...dirs].map((target) => {
    if (others.some((mount) => mount.target === target)) {
      throw new UcpError(
        'OPTIONS_REFUSED',
        `A mount and the file of a secret both want ${target}: give one of them another directory.`,
      );
    }
    return { type: 'tmpfs', source: '', target, readOnly: false, options: OPTIONS };
  });
}
