import type { ViolationRef } from '../../core/events.ts';
import type { PlanNote } from '../../core/plan.ts';
import type { MountRequest, Namespace, RunRequest } from '../../core/run-request.ts';
import { globList } from '../glob/glob-list.ts';
import type { List } from '../glob/list.ts';
import { inherit, type Mode } from '../schema/inherit.ts';
import type { Policy } from '../schema/policy.ts';
import { sizeInBytes } from '../schema/size.ts';
import type { Decision } from './decision.ts';
import { decideEnv } from './options-env.ts';
import { Judge } from './options-judge.ts';
import { decideMounts } from './options-mounts.ts';
import { decideNamespaces } from './options-namespaces.ts';
import type { HostPlaces } from './protected-paths.ts';

/** Bytes, processors, processes. */
interface Limits {
  readonly memory: number;
  readonly cpus: number;
  readonly pids: number;
}

interface Lists {
  readonly deny: List | undefined;
  readonly allow: List | undefined;
}

/** What a command line may ask for, ready to decide. */
export interface CompiledOptions {
  readonly mode: Mode;
  readonly volumes: Lists & { readonly writable: List | undefined };
  readonly env: Lists;
  readonly allowInjection: boolean;
  readonly user: string;
  readonly namespaces: Readonly<Partial<Record<Namespace, boolean | undefined>>>;
  readonly limits: Readonly<Partial<Limits>>;
}

/** What is known about the host. */
export interface OptionsContext {
  /** What a run gets that names no limit, where policy has no bound either. */
  readonly defaults: Limits;
  readonly places: HostPlaces;
  /** The path with its symbolic links resolved; the path itself when it doesn't exist. */
  realPath(path: string): string;
}

/** request ∩ policy. When there are refusals nothing else of it may be used. */
export interface OptionsDecision {
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly MountRequest[];
  readonly user?: string | undefined;
  readonly namespaces: Readonly<Record<Namespace, boolean>>;
  readonly limits: Limits;
  readonly refusals: readonly Decision[];
  /** Rules that were broken and are only observed. */
  readonly observed: readonly ViolationRef[];
  readonly notes: readonly PlanNote[];
}

/** Prepares `/options`. Throws GLOB_INVALID. */
export function compileOptions(policy: Pick<Policy, 'options'>): CompiledOptions {
  const options = policy.options ?? { enable: false };
  const on = options.enable !== false;
  const { volumes, env } = options;
  return {
    mode: inherit([policy.options]),
    volumes: { ...lists(volumes), writable: list(volumes?.writable) },
    env: lists(env),
    allowInjection: on && env?.allow_injection === true,
    user: on ? (options.user ?? '') : '',
    namespaces: on ? (options.namespaces ?? {}) : {},
    limits: on ? bounds(options.limits) : {},
  };
}

function list(globs: readonly string[] | undefined): List | undefined {
  return globs === undefined ? undefined : globList(globs);
}

function lists(
  section: { readonly deny_list?: string[] | undefined; readonly allow_list?: string[] | undefined } | undefined,
): Lists {
  return { deny: list(section?.deny_list), allow: list(section?.allow_list) };
}

function bounds(limits: NonNullable<Policy['options']>['limits']): Partial<Limits> {
  const memory = limits?.memory === undefined ? undefined : sizeInBytes(limits.memory);
  return withoutUndefined({ ...limits, memory });
}

function withoutUndefined(limits: { readonly [Name in keyof Limits]?: number | undefined }): Partial<Limits> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

/**
 * Decides on a run: what of the request is in force, what is refused, what would be. Flags narrow what policy permits
 * and never widen it (invariant 2); protected host paths, UCP's own variables and code injection are refused whatever
 * the section's mode is, since no flag makes them safe.
 */
export function decideOptions(
  compiled: CompiledOptions,
  request: RunRequest,
  context: OptionsContext,
): OptionsDecision {
  const judge = new Judge(compiled.mode);
  decideEnv(compiled, { ...secretVariables(request), ...request.env }, judge);
  decideMounts(compiled, request.mounts, context, judge);
  const user = decideUser(compiled, request, judge);
  const namespaces = decideNamespaces(compiled, request, judge);
  const limits = decideLimits(compiled, request, context.defaults, judge);
  const { refusals, observed, notes } = judge;
  return {
    env: request.env,
    mounts: request.mounts,
    ...(user === undefined ? {} : { user }),
    namespaces,
    limits,
    refusals,
    observed,
    notes,
  };
}

/** Variables that secrets become, whose values are nobody's business here. */
function secretVariables({ secrets = [] }: RunRequest): Record<string, string> {
  return Object.fromEntries(secrets.flatMap(({ env }) => (env === undefined ? [] : [[env, 'secret']])));
}

/** The policy's user holds whatever the flags say; only a flag that names another one breaks the rule. */
function decideUser({ user }: CompiledOptions, request: RunRequest, judge: Judge): string | undefined {
  if (user === '') {
    if (request.user !== undefined) judge.note('User', 'flag', '--user', `runs as ${request.user}`);
    return request.user;
  }
  if (request.user !== undefined && request.user !== user) {
    judge.break('/options/user', {
      what: `The workload runs as ${JSON.stringify(user)}, not as ${JSON.stringify(request.user)}.`,
      brief: `a run as ${JSON.stringify(request.user)}`,
      remedy: 'Leave --user out.',
    });
    if (!judge.enforces) return request.user;
  }
  judge.note('User', 'policy', '/options/user', `runs as ${user}`);
  return user;
}

const LIMIT_FIELDS = {
  memory: ['HostConfig.Memory', '--memory'],
  cpus: ['HostConfig.NanoCpus', '--cpus'],
  pids: ['HostConfig.PidsLimit', '--pids-limit'],
} as const;

/** Bounds of the policy hold for what a flag names, and are what a run gets that names nothing. */
function decideLimits(compiled: CompiledOptions, request: RunRequest, defaults: Limits, judge: Judge): Limits {
  const decide = (name: keyof Limits): number => {
    const [field, flag] = LIMIT_FIELDS[name];
    const bound = compiled.limits[name];
    const asked = request.limits[name];
    if (asked === undefined) {
      const value = bound ?? defaults[name];
      judge.note(
        field,
        bound === undefined ? 'default' : 'policy',
        bound === undefined ? flag : `/options/limits/${name}`,
        String(value),
      );
      return value;
    }
    // Zero and less mean "without a limit" to engines: more than any bound.
    if (bound !== undefined && (asked > bound || asked <= 0)) {
      judge.break(`/options/limits/${name}`, {
        what: `${flag} asks for ${asked}; the bound is ${bound}.`,
        brief: `a run with ${flag} ${asked}`,
        remedy: 'Ask for less, or raise the bound.',
      });
    }
    judge.note(field, 'flag', flag, String(asked));
    return asked;
  };
  return { memory: decide('memory'), cpus: decide('cpus'), pids: decide('pids') };
}
