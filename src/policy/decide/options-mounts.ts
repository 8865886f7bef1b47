import type { MountRequest } from '../../core/run-request.ts';
import { quoted } from './decision.ts';
import type { Judge } from './options-judge.ts';
import type { CompiledOptions, OptionsContext } from './options.ts';
import { lexical, protectedBy, protectedTarget } from './protected-paths.ts';

/** Judges mounts: what is protected first, which no policy opens, then the policy's lists for host paths. */
export function decideMounts(
  options: CompiledOptions,
  mounts: readonly MountRequest[],
  context: OptionsContext,
  judge: Judge,
): void {
  for (const mount of mounts) {
    const target = protectedTarget(mount.target);
    if (target !== undefined) {
      judge.refuse('/options/volumes', {
        what: `A mount at ${quoted(mount.target)} would cover ${target}.`,
        brief: `a mount at ${quoted(mount.target)}`,
        remedy: 'Choose another place in the container.',
      });
    } else if (mount.type === 'bind') decideBind(options, mount, context, judge);
  }
}

function decideBind(options: CompiledOptions, mount: MountRequest, context: OptionsContext, judge: Judge): void {
  // By its text and by what it is on this host: a symbolic link may not lead into a protected place.
  const paths = [...new Set([lexical(mount.source), lexical(context.realPath(mount.source))])];
  const brief = `mounting ${quoted(mount.source)}`;
  const secret = paths.map((path) => protectedBy(path, context.places)).find((why) => why !== undefined);
  if (secret !== undefined) {
    judge.refuse('/options/volumes', {
      what: `${quoted(mount.source)} is never mounted: it is, contains or belongs to ${secret}.`,
      brief,
      remedy: 'Mount a directory of its own for the workload.',
    });
    return;
  }
  const { deny, allow, writable } = options.volumes;
  const denied = paths.map((path) => deny?.find(path) ?? -1).find((index) => index >= 0);
  if (denied !== undefined) {
    judge.break(`/options/volumes/deny_list/${denied}`, {
      what: `${quoted(mount.source)} is denied.`,
      brief,
      remedy: 'Mount another directory, or take it out of the deny_list.',
    });
  } else if (allow !== undefined && paths.some((path) => allow.find(path) < 0)) {
    judge.break('/options/volumes/allow_list', {
      what: `${quoted(mount.source)} is not in the allow_list.`,
      brief,
      remedy: 'Mount another directory, or add it to the allow_list.',
    });
  } else if (!mount.readOnly && writable !== undefined && paths.some((path) => writable.find(path) < 0)) {
    judge.break('/options/volumes/writable', {
      what: `${quoted(mount.source)} may not be mounted read-write.`,
      brief,
      remedy: 'Mount it read-only, or add it to options.volumes.writable.',
    });
  }
}
