import { z } from 'zod';

import { section } from './section.ts';
import { Name, Regex } from './text.ts';

/** The pattern sets that come with UCP; what is in them and how well they do is in the policy reference. */
export const BUILTIN_SETS = ['prompt_injection', 'secrets', 'shell', 'exfiltration', 'pii'] as const;
export type BuiltinSet = (typeof BUILTIN_SETS)[number];

/** Texts that must not pass, and what happens to the call that carries one. */
export const Patterns = section(
  {
    deny: z
      .array(
        section({
          name: Name.describe('What events and messages call the pattern.'),
          regex: Regex.describe('Regular expression in RE2 syntax, searched anywhere in the text; anchor it yourself.'),
        }),
      )
      .describe('Patterns of your own.')
      .optional(),
    builtin: z.array(z.enum(BUILTIN_SETS)).describe('Pattern sets that come with UCP.').optional(),
    action: z
      .enum(['block', 'redact'])
      .describe('In enforce mode: `block` refuses the call, `redact` replaces what matched. Absent: `block`.')
      .optional(),
  },
  'Patterns',
);
export type Patterns = z.infer<typeof Patterns>;
