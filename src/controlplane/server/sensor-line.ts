import { z } from 'zod';

import type { JsonObject } from '../../core/json.ts';

const Json = z.custom<JsonObject>((value) => typeof value === 'object' && value !== null && !Array.isArray(value));

/** One event of a sensor; unknown fields are ignored. */
export const SensorLineParams = z.object({
  v: z.literal(1),
  id: z.string().min(1).max(128),
  time: z.number().nonnegative(),
  name: z.string().regex(/^[a-z][a-z0-9_.]{0,63}$/),
  domain: z.enum(['mcp', 'exec', 'network', 'sandbox', 'a2a', 'llm', 'langchain', 'crewai', 'runtime', 'telemetry']),
  severity: z.enum(['INFO', 'WARN', 'ERROR']),
  scope: z.string().min(1).max(64),
  body: Json,
  attributes: Json.optional(),
  violation: z
    .object({
      rule: z.string(),
      mode: z.enum(['observe', 'enforce']),
      action: z.enum(['allowed', 'blocked', 'redacted']),
      message: z.string(),
    })
    .optional(),
  generation: z.int().nonnegative(),
  pid: z.int().nonnegative().optional(),
  lost: z.int().nonnegative().optional(),
});
