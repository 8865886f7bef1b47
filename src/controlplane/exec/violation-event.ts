import type { NewEvent } from '../../core/events.ts';
import type { JsonObject } from '../../core/json.ts';
import { lossEvent } from '../loss-event.ts';
import type { EventContext } from './event-context.ts';
import { policyPointer } from './rules.ts';

const SCOPE = 'ucp.kernel.exec';

/** Which list decided, as the helper says it, and the words for a person. */
const LISTS: Readonly<Record<string, { readonly rule: string; readonly words: string }>> = {
  deny: { rule: '/deny', words: 'is denied' },
  allow: { rule: '/allow', words: 'is not in the allow_list' },
  drift: { rule: '/drift', words: 'was not in the image' },
  limit: { rule: '/deny', words: 'could not be matched within the limits of a pattern' },
  path: { rule: '', words: 'has no path that the kernel can say' },
};

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const number = (value: unknown, absent: number): number => (typeof value === 'number' ? value : absent);

/** The event of an exec, or of an open of a denied file, that broke a rule. */
export function violationEvent(said: JsonObject, { sandbox, policy }: EventContext): NewEvent {
  const blocked = said['action'] === 'block';
  return {
    name: 'exec_violation',
    domain: 'exec',
    severity: blocked ? 'ERROR' : 'WARN',
    class: 'critical',
    scope: SCOPE,
    sandbox,
    // The generation that decided: an update may be on its way.
    ...(policy === undefined
      ? {}
      : { policy: { ...policy, generation: number(said['generation'], policy.generation) } }),
    violation: violationOf(said, blocked),
    // Conventions of OpenTelemetry; the numbers are the host's.
    attributes: {
      'process.pid': number(said['pid'], 0),
      ...(typeof said['path'] === 'string' ? { 'process.executable.path': said['path'] } : {}),
    },
    body: {
      access: text(said['access']),
      list: text(said['list']),
      path: said['path'] ?? null,
      ...(said['pathHex'] === undefined ? {} : { path_hex: said['pathHex'] }),
      origin: said['origin'] ?? null,
      count: number(said['count'], 1),
      ...asker(said),
    },
  };
}

/** Who asked, as far as the helper could see: it may have ended meanwhile. */
function asker({ pidInside, uid, comm, parent, parentComm, named }: JsonObject): JsonObject {
  const known = { pid_inside: pidInside, uid, comm, parent_pid: parent, parent_comm: parentComm, named };
  return Object.fromEntries(
    Object.entries(known).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

function violationOf({ list, rule, path, access }: JsonObject, blocked: boolean): NonNullable<NewEvent['violation']> {
  const found = LISTS[text(list)] ?? { rule: '', words: 'broke a rule' };
  const at = typeof rule === 'number' ? `${found.rule}/${rule}` : found.rule;
  const file = typeof path === 'string' ? JSON.stringify(path) : 'a file';
  const doing = access === 'open' ? 'opening' : 'executing';
  return {
    rule: at === '' ? '/exec' : policyPointer(at),
    mode: blocked ? 'enforce' : 'observe',
    action: blocked ? 'blocked' : 'allowed',
    message: `${doing} ${file}, which ${found.words}, was ${blocked ? 'blocked' : 'allowed: the policy observes'}`,
  };
}

/** The helper could not tell of so many violations; it counted them. */
export function execLossEvent({ count, reason }: JsonObject, { sandbox }: EventContext): NewEvent {
  return lossEvent(SCOPE, { sandbox }, { lost: number(count, 0), reason: text(reason) });
}

/** Rules that are only to be observed are not: the workload runs without them. */
export function unobservedEvent(cause: string, { sandbox }: EventContext): NewEvent {
  return {
    name: 'exec_unobserved',
    domain: 'exec',
    severity: 'WARN',
    class: 'critical',
    scope: SCOPE,
    sandbox,
    body: { cause },
  };
}
