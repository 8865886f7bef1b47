import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import { policyJsonSchema } from '../../src/policy/index.ts';
import { MAX_LENGTH, MAX_LIST_VARIANTS, MAX_VARIANTS } from '../../src/policy/glob/limits.ts';

const INTRODUCTION = `# Policy reference

Generated from the schema by \`npm run docs\`; the same schema is published as
[policy.schema.json](../profiles/policy/policy.schema.json) for editors.

A policy is one JSON object. An unknown key is an error, unless it starts with \`x-\`: such keys are notes of the author
and mean nothing to UCP. Keys may stand in any order.

- **Inheritance.** \`enable: false\` switches a section and everything below it off; a section below that says
  \`enable: true\` contradicts it and is an error. \`remediate\` is taken from the innermost section that sets it, observe
  when none does. A section at the top that is absent is off.
- **Lists.** Deny wins. An empty \`allow_list\` allows nothing; an absent one allows all that is not denied.
- **Globs.** minimatch with \`dot: true\`, no negation, no comments: \`*\` stays within a path segment, \`**\` crosses them.
  \`/dir/**\` is what is in a directory, \`/dir{,/**}\` the directory too. A glob has at most ${MAX_LENGTH} characters and
  stands, its braces written out, for at most ${MAX_VARIANTS} patterns, a list for ${MAX_LIST_VARIANTS}; groups such as \`+(a|b)\` stand
  in no other group. What is beyond that is an error, never cut short.
- **Names** of tools, prompts and servers are compared in Unicode form NFKC, without white space around them; case
  matters. \`*\` stands for any text.
- **Regular expressions.** RE2 syntax: no back-references, no look-around. They are searched anywhere in a text.
- **Other layouts.** The flat layout (\`mcp\`, \`exec\`, \`options\`, \`network\` at the top) and the \`brace\` layout
  (\`explicit_deny_list\` + \`match_list\`) are accepted; \`ucp-policy normalize\` shows what they become; see [policy.md](policy.md).
`;

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const objectAt = (parent: JsonObject, key: string): JsonObject => {
  const value = parent[key];
  return isObject(value) ? value : {};
};

/** `docs/policy-reference.md`. */
export function policyReference(): string {
  const schema = policyJsonSchema();
  const definitions = objectAt(schema, '$defs');
  const sections = Object.entries(definitions).map(([name, definition]) =>
    section(name, isObject(definition) ? definition : {}),
  );
  return [INTRODUCTION, section('The document', schema), ...sections].join('\n');
}

function section(title: string, definition: JsonObject): string {
  return `## ${title}\n\n| key | type | meaning |\n|---|---|---|\n${rows(definition, '').join('\n')}\n`;
}

/** One row per key; objects that have no name of their own are written out below their key. */
function rows(definition: JsonObject, prefix: string): string[] {
  const required = Array.isArray(definition['required']) ? definition['required'] : [];
  return Object.entries(objectAt(definition, 'properties')).flatMap(([key, value]) => {
    const property = isObject(value) ? value : {};
    const description = typeof property['description'] === 'string' ? property['description'] : '';
    const needed = required.includes(key) ? '**Required.** ' : '';
    const row = `| \`${prefix}${key}\` | ${type(property)} | ${needed}${description.replaceAll('|', '\\|')} |`;
    const items = objectAt(property, 'items');
    const inner = items['properties'] === undefined ? property : items;
    const mark = inner === items ? '[]' : '';
    return [row, ...rows(inner, `${prefix}${key}${mark}.`)];
  });
}

function type(schema: JsonObject): string {
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const name = reference.replace('#/$defs/', '');
    return `[${name}](#${name.toLowerCase()})`;
  }
  const choices = schema['enum'];
  if (Array.isArray(choices)) return choices.map((choice) => `\`${JSON.stringify(choice)}\``).join(', ');
  if (schema['const'] !== undefined) return `\`${JSON.stringify(schema['const'])}\``;
  const alternatives = schema['anyOf'];
  if (Array.isArray(alternatives)) return alternatives.filter(isObject).map(type).join(' or ');
  const items = schema['items'];
  if (isObject(items)) return `list of ${type(items)}`;
  const values = schema['additionalProperties'];
  if (isObject(values)) return `map of ${type(values)}`;
  return [schema['format'], schema['type']].find((word) => typeof word === 'string') ?? 'any';
}
