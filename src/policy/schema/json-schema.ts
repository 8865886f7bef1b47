import { z } from 'zod';

import type { JsonObject } from '../../core/json.ts';
import { Policy } from './policy.ts';

/** Where the published schema stands; `$schema` of a new policy points there. */
export const SCHEMA_URL = 'https://unpkg.com/ucp-sandbox/profiles/policy/policy.schema.json';

/** The schema of policy documents as JSON Schema (2020-12), for editors. */
export function policyJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(Policy, {
    io: 'output',
    override({ jsonSchema }) {
      // A strict object takes notes of its authors; a map of names (servers, configurations) takes any name.
      if (jsonSchema.additionalProperties === false) jsonSchema.patternProperties = { '^x-': {} };
    },
  });
  const plain: JsonObject = JSON.parse(JSON.stringify({ ...schema, $id: SCHEMA_URL }));
  return plain;
}
