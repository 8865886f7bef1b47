import { policyJsonSchema } from '../../src/policy/index.ts';
import { bypassTable } from './bypass.ts';
import { errorReference } from './errors.ts';
import { eventReference } from './events.ts';
import { MAN_PAGES } from './man.ts';
import { policyReference } from './policy-reference.ts';

/** Every generated file, by its path from the root of the package. */
export const GENERATED: Readonly<Record<string, () => string>> = {
  'docs/policy-reference.md': policyReference,
  'docs/errors.md': errorReference,
  'docs/events.md': eventReference,
  'docs/security/bypass.md': bypassTable,
  ...Object.fromEntries(Object.entries(MAN_PAGES).map(([name, page]) => [`man/${name}`, page])),
  'profiles/policy/policy.schema.json': () => `${JSON.stringify(policyJsonSchema(), null, 2)}\n`,
};
