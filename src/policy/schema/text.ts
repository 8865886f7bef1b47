import { isIP } from 'node:net';

import { z } from 'zod';

import { regexProblem } from './regex-syntax.ts';
import { globProblem, listProblem } from './glob-syntax.ts';
import { cidrProblem, hostProblem } from './syntax.ts';

/** A string that `problem` finds nothing wrong with. */
function checked(kind: string, problem: (text: string) => string | undefined) {
  return z
    .string()
    .superRefine((text, context) => {
      const found = problem(text);
      if (found !== undefined) context.addIssue({ code: 'custom', message: found, params: { kind } });
    })
    .meta({ format: kind });
}

/** minimatch glob with `dot: true`, no negation, no comments. */
export const Glob = checked('glob', globProblem);

/** A glob over absolute paths; one that could never match an absolute path is an error. */
export const PathGlob = checked('path-glob', (text) => {
  if (!/^(?:\/|\*\*|\{)/.test(text)) {
    return `expected a glob over absolute paths, starting with "/" or "**/"; "${text}" would never match. For any directory write "**/${text}"`;
  }
  return globProblem(text);
});

/** A list of globs; one that stands for too many patterns altogether is refused, never cut short (EX-15). */
export function listOf(glob: typeof Glob) {
  return z.array(glob).superRefine((globs, context) => {
    const found = listProblem(globs);
    if (found !== undefined) context.addIssue({ code: 'custom', message: found, params: { kind: 'glob' } });
  });
}

/** Regular expression in RE2 syntax. */
export const Regex = checked('regex', regexProblem);

/** IPv4 or IPv6 network, or a single address. */
export const Cidr = checked('cidr', cidrProblem);

/** `name`, `*.name`, network or address. */
export const Destination = checked('destination', (text) =>
  text.includes('/') || isIP(text) !== 0 ? cidrProblem(text) : hostProblem(text),
);

/** A port, or a range `"8000-8999"`. */
export const PortRange = z
  .union(
    [
      z.int().min(1).max(65_535),
      z.string().superRefine((text, context) => {
        const match = /^(\d{1,5})-(\d{1,5})$/.exec(text);
        const [from, to] = [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)];
        if (from < 1 || to > 65_535 || from > to) {
          context.addIssue({
            code: 'custom',
            message: `expected a port (1 to 65535) or a range "8000-8999", got "${text}"`,
            params: { kind: 'port' },
          });
        }
      }),
    ],
    'expected a port (1 to 65535) or a range "8000-8999"',
  )
  .describe('A port from 1 to 65535, or a range such as "8000-8999".');

/** A name that means itself: no wildcard, no control characters. */
export const Name = z
  .string()
  // eslint-disable-next-line no-control-regex
  .regex(/^[^\u0000-\u001f\u007f]{1,1024}$/, 'expected 1 to 1024 characters, none of them control characters');
