import { z } from 'zod';

import { onError, section, switches } from './section.ts';
import { sizeInBytes } from './size.ts';
import { Glob, listOf, PathGlob } from './text.ts';

const USER = /^(?:|\d{1,10}(?::\d{1,10})?|[a-z_][a-z0-9_-]{0,31}\$?)$/i;

/** Each namespace: true requires isolation, false leaves it off unless a flag asks, absent isolates unless a flag says no. */
const namespace = (what: string) =>
  z
    .boolean()
    .describe(
      `${what}. \`true\`: required, no flag can switch it off. \`false\`: off unless a flag asks for it. Absent: on, a flag may switch it off.`,
    )
    .optional();

/** The engine takes no container with less. */
const LEAST_MEMORY = 6 * 2 ** 20;

const Memory = z
  .union([z.int().positive(), z.string()], 'expected bytes or a size such as "512m"')
  .superRefine((value, context) => {
    const bytes = sizeInBytes(value);
    if (bytes === undefined || bytes < LEAST_MEMORY || !Number.isSafeInteger(bytes)) {
      context.addIssue({
        code: 'custom',
        message: `expected bytes or a size such as "512m" or "2g", at least 6m, got ${JSON.stringify(value)}`,
        params: { kind: 'size' },
      });
    }
  })
  .describe('Upper bound of memory: bytes, or a size such as "512m" (powers of 1024).');

/** What a command line may ask of the sandbox. Flags narrow it, never widen it. */
export const Options = section({
  ...switches,
  on_error: onError,
  volumes: section({
    allow_list: listOf(PathGlob).describe('Globs over host paths: only these may be mounted; empty: none.').optional(),
    deny_list: listOf(PathGlob)
      .describe('Globs over host paths that may not be mounted. Wins over `allow_list`.')
      .optional(),
    writable: listOf(PathGlob)
      .describe('Globs over host paths that may be mounted read-write; empty: none. Absent: all that may be mounted.')
      .optional(),
  })
    .describe('Host paths that `-v` and `--mount` may name.')
    .optional(),
  env: section({
    allow_list: listOf(Glob).describe('Globs over variable names: only these may be passed; empty: none.').optional(),
    deny_list: listOf(Glob)
      .describe('Globs over variable names that may not be passed. Wins over `allow_list`.')
      .optional(),
    allow_injection: z
      .boolean()
      .describe(
        'Lets `-e` set variables that load code into programs (LD_PRELOAD, NODE_OPTIONS=--require …). Absent: false.',
      )
      .optional(),
  })
    .describe('Environment variables that `-e` and `--env-file` may set.')
    .optional(),
  user: z
    .string()
    .regex(USER, 'expected "", "uid", "uid:gid" or a user name')
    .describe('User of the workload: "uid[:gid]" or a name, whatever the flags say. Empty or absent: not forced.')
    .optional(),
  namespaces: section({
    pid: namespace('Process ids'),
    ipc: namespace('System V and POSIX shared memory'),
    uts: namespace('Host name'),
    user: namespace('User ids; needs an engine with userns-remap'),
    network: namespace('Network'),
  })
    .describe('Namespace isolation.')
    .optional(),
  allow_privileged: z
    .literal(false, 'expected false: UCP never runs privileged containers')
    .describe('Only `false`: UCP never runs privileged containers.')
    .optional(),
  limits: section({
    memory: Memory.optional(),
    cpus: z.number().positive().max(4096).describe('Upper bound of processors; 0.5 is half of one.').optional(),
    pids: z.int().positive().max(4_194_304).describe('Upper bound of processes and threads.').optional(),
  })
    .describe('Upper bounds of resources; also what a run gets that names none.')
    .optional(),
});
export type Options = z.infer<typeof Options>;
