import { z } from 'zod';

import { onError, section, switches } from './section.ts';
import { listOf, PathGlob } from './text.ts';

/** Which programs may be executed in a sandbox; decided in the kernel. */
export const Exec = section({
  ...switches,
  on_error: onError,
  allow_list: listOf(PathGlob)
    .describe('Globs over absolute paths: only these may run; empty: none. Absent: all that are not denied.')
    .optional(),
  deny_list: listOf(PathGlob)
    .describe('Globs over absolute paths that may not run. Wins over `allow_list`.')
    .optional(),
  drift: z
    .enum(['allow', 'deny'])
    .describe("`deny`: a file that is not from the image's layers may not run, whatever its path. Absent: `allow`.")
    .optional(),
  events: z
    .boolean()
    .describe(
      'Reports every program that is executed in a sandbox, and how it ended (`process_exec`, `process_exit`). Absent: where there is a rule in this section.',
    )
    .optional(),
});
export type Exec = z.infer<typeof Exec>;
