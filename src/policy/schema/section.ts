import { z } from 'zod';

/** The two switches that every section has; both are inherited from the section around it (see inherit.ts). */
export const switches = {
  enable: z
    .boolean()
    .describe(
      'Switches the section and everything below it on or off. Absent: as the section around it; on at the top.',
    )
    .optional(),
  remediate: z
    .boolean()
    .describe(
      '`true` enforces (block and log), `false` observes (allow and log). Absent: as the section around it; observe at the top.',
    )
    .optional(),
};

/** What a sensor does when it fails inside itself (invariant 5). */
export const onError = z
  .enum(['allow', 'block'])
  .describe(
    'What happens to the call when the sensor itself fails. Absent: `block` in enforce mode, `allow` in observe mode.',
  )
  .optional();

/** Removes the keys that belong to authors, not to us (`x-owner`, `x-ticket` …). */
function withoutAnnotations(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const keys = Object.keys(value);
  if (!keys.some((key) => key.startsWith('x-'))) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !key.startsWith('x-')));
}

/** A strict object: an unknown key is an error unless it starts with `x-`. `id` names it in the JSON Schema. */
export function section<Shape extends z.core.$ZodLooseShape>(shape: Shape, id?: string) {
  const object = z.strictObject(shape);
  return z.preprocess(withoutAnnotations, id === undefined ? object : object.meta({ id }));
}
