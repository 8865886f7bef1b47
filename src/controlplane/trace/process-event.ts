import type { NewEvent } from '../../core/events.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { EventContext } from '../exec/event-context.ts';
import { lossEvent } from '../loss-event.ts';
import { type Cause, lineageOf } from './causes.ts';

const SCOPE = 'ucp.kernel.process';

/** The helper's names of what it says, and ours. */
const FIELDS: Readonly<Record<string, string>> = {
  path: 'path',
  pathHex: 'path_hex',
  file: 'file',
  cwd: 'cwd',
  args: 'argv',
  argsCut: 'argv_cut',
  pathsCut: 'paths_cut',
  deleted: 'deleted',
  origin: 'origin',
  code: 'exit_code',
  signal: 'signal',
  pid: 'pid',
  pidInside: 'pid_inside',
  uid: 'uid',
  comm: 'comm',
  count: 'count',
  observedBy: 'observed_by',
};

function bodyOf(said: JsonObject): JsonObject {
  const [, ...parents] = lineageOf(said['lineage']);
  const known = Object.entries(FIELDS).flatMap(([from, to]): (readonly [string, JsonValue])[] => {
    const value = said[from];
    return value === undefined ? [] : [[to, value]];
  });
  return {
    ...Object.fromEntries(known),
    ...(parents[0] === undefined ? {} : { ppid: parents[0].pid }),
    parents: parents.map(({ pid, pidInside, comm }) => ({ pid, pid_inside: pidInside, comm })),
  };
}

/** A process of a sandbox executed a program, or ended. */
export function processEvent(
  said: JsonObject,
  name: 'process_exec' | 'process_exit',
  { sandbox, policy }: EventContext,
  cause: Cause | undefined,
): NewEvent {
  const { time } = said;
  return {
    name,
    domain: 'exec',
    severity: 'INFO',
    class: 'normal',
    scope: SCOPE,
    ...(typeof time === 'number' ? { time } : {}),
    sandbox,
    ...(policy === undefined ? {} : { policy }),
    ...(cause === undefined ? {} : { attributes: cause }),
    body: bodyOf(said),
  };
}

/** So many were not told; null: nobody can say how many. */
export function processLossEvent(lost: number | null, reason: string, context: EventContext | undefined): NewEvent {
  return lossEvent(SCOPE, context === undefined ? {} : { sandbox: context.sandbox }, { lost, reason });
}

/** The workload runs without its processes being told of. */
export function processUnobservedEvent(cause: string, { sandbox }: EventContext): NewEvent {
  return {
    name: 'process_unobserved',
    domain: 'exec',
    severity: 'WARN',
    class: 'critical',
    scope: SCOPE,
    sandbox,
    body: { cause },
  };
}
