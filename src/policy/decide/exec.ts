import { globList } from '../glob/glob-list.ts';
import type { List } from '../glob/list.ts';
import { inherit, type Mode } from '../schema/inherit.ts';
import type { Policy } from '../schema/policy.ts';
import { type Decision, permitted, quoted, violated } from './decision.ts';

/** Which programs may run, ready to decide. */
export interface CompiledExec {
  readonly mode: Mode;
  readonly deny: List | undefined;
  readonly allow: List | undefined;
  readonly drift: 'allow' | 'deny';
}

/** A program that is about to be executed. */
export interface ExecQuery {
  /** The file itself: absolute, symbolic links resolved. */
  readonly path: string;
  /** The path that was asked for, when it is another one. */
  readonly usedPath?: string | undefined;
  /** Where the file is from; `drift` came into being after the container started. Absent: not known, taken as image. */
  readonly origin?: 'image' | 'volume' | 'drift' | undefined;
}

/** Prepares `/exec`. Throws GLOB_INVALID. */
export function compileExec(policy: Pick<Policy, 'exec'>): CompiledExec {
  const { exec } = policy;
  return {
    mode: inherit([exec]),
    deny: exec?.deny_list === undefined ? undefined : globList(exec.deny_list),
    allow: exec?.allow_list === undefined ? undefined : globList(exec.allow_list),
    drift: exec?.drift ?? 'allow',
  };
}

/**
 * Decides on an execution. Both the file and the path it was asked by are looked at: either can be denied (EX-01), and
 * either can be allowed, since whoever can make a link in an allowed place could put the file there. Deny wins, then
 * `drift`, then `allow_list`.
 */
export function decideExec(compiled: CompiledExec, query: ExecQuery): Decision {
  const { enabled, mode } = compiled.mode;
  if (!enabled) return permitted('observe');
  const denied = find(compiled.deny, query);
  if (denied >= 0)
    return refused(
      mode,
      query,
      `/exec/deny_list/${denied}`,
      ' is denied',
      'Take the path out of the deny_list to allow it.',
    );
  if (compiled.drift === 'deny' && (query.origin ?? 'image') !== 'image') {
    return refused(
      mode,
      query,
      '/exec/drift',
      ` is not from the image (${query.origin})`,
      'Put the program into the image.',
    );
  }
  if (compiled.allow === undefined) return permitted(mode);
  const allowed = find(compiled.allow, query);
  if (allowed >= 0) return { ...permitted(mode), rule: `/exec/allow_list/${allowed}` };
  return refused(
    mode,
    query,
    '/exec/allow_list',
    ' is not in the allow_list',
    'Add the path to the allow_list to allow it.',
  );
}

/** The first rule for the file itself, else for the path it was asked by, −1 for none. */
function find(list: List | undefined, { path, usedPath }: ExecQuery): number {
  if (list === undefined) return -1;
  const found = list.find(path);
  return found >= 0 || usedPath === undefined ? found : list.find(usedPath);
}

function refused(
  mode: Mode['mode'],
  { path, usedPath }: ExecQuery,
  rule: string,
  what: string,
  remedy: string,
): Decision {
  const by = usedPath === undefined || usedPath === path ? '' : ` (as ${quoted(usedPath)})`;
  return violated(mode, { rule, what: `${quoted(path)}${by}${what}.`, brief: `executing ${quoted(path)}`, remedy });
}
