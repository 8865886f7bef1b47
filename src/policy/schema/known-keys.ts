import { z } from 'zod';

/** The schema under wrappers that say nothing about keys: optional, preprocessing. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodPipe) {
    inner = inner instanceof z.ZodOptional ? inner.def.innerType : inner.def.out;
  }
  return inner;
}

/** The keys that the schema knows for the object at `path`; none where any key may stand. */
export function knownKeys(schema: z.core.$ZodType, path: readonly (string | number)[]): string[] {
  let inner = unwrap(schema);
  for (const part of path) {
    if (inner instanceof z.ZodObject) inner = unwrap(inner.def.shape[part] ?? z.never());
    else if (inner instanceof z.ZodRecord) inner = unwrap(inner.def.valueType);
    else if (inner instanceof z.ZodArray) inner = unwrap(inner.def.element);
    else return [];
  }
  return inner instanceof z.ZodObject ? Object.keys(inner.def.shape) : [];
}
