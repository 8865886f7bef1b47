import * as fc from 'fast-check';

import { BUILTIN_SETS } from '../schema/patterns.ts';

const optional = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>) => fc.record(fields, { requiredKeys: [] });
const name = fc
  .oneof(
    fc.constantFrom('*', 'git', 'x-files', 'constructor', 'a/b~c', 'ſ ɢ'),
    fc.string({ minLength: 1, maxLength: 8 }),
  )
  .filter(
    // eslint-disable-next-line no-control-regex
    (text) => /^[^\u0000-\u001f\u007f]+$/.test(text) && text !== '__proto__' && !/\p{Cs}/u.test(text),
  );
const glob = fc.constantFrom('/usr/bin/*', '**/curl', '/tmp/**', '/{a,b}/[c-e]?', '/a/@(b|c)', '/opt/**/x.sh', '/ünï');
const remediate = fc.boolean();
const list = (entry: fc.Arbitrary<string>) => fc.uniqueArray(entry, { maxLength: 4 });
const patterns = optional({
  deny: fc.array(fc.record({ name, regex: fc.constantFrom('a+b', '(?i)secret', '^x$', String.raw`\bkey=\S+`) }), {
    maxLength: 2,
  }),
  builtin: list(fc.constantFrom(...BUILTIN_SETS)),
  action: fc.constantFrom('block', 'redact'),
});
/** Lists of which no entry is in both. */
const lists = (entry: fc.Arbitrary<string>) =>
  fc.oneof(fc.record({ deny_list: list(entry) }), fc.record({ allow_list: list(entry) }), fc.constant({}));
const rules = fc
  .tuple(lists(name), optional({ arguments: patterns, responses: patterns }))
  .map(([a, b]) => ({ ...a, ...b }));
const side = optional({
  remediate,
  tools: fc.dictionary(name, rules, { maxKeys: 3, noNullPrototype: true }),
  prompts: fc.dictionary(name, rules, { maxKeys: 2, noNullPrototype: true }),
});
const mcp = optional({
  enable: fc.constant(true),
  remediate,
  on_error: fc.constantFrom('allow', 'block'),
  http_servers: optional({ deny_http: fc.boolean(), deny_sse: fc.boolean(), force_authentication: fc.boolean() }),
  client: side,
  server: side,
});
const sensor = optional({ remediate, mcp, runtime: optional({ exec: fc.boolean(), fs: fc.boolean() }) });
const ports = fc.array(fc.oneof(fc.integer({ min: 1, max: 65_535 }), fc.constant('8000-8999')), {
  minLength: 1,
  maxLength: 3,
});
const network = fc.dictionary(
  fc.stringMatching(/^[a-z][a-z0-9-]{0,8}[a-z0-9]$/),
  optional({
    remediate,
    egress: fc.array(
      fc.record({ to: fc.constantFrom(['a.example'], ['*.b.example', '10.0.0.0/8'], ['::/0']), ports }),
      { maxLength: 2 },
    ),
    ingress: fc.array(fc.record({ from: fc.constantFrom(['0.0.0.0/0'], ['fd00::/8']), ports }), { maxLength: 2 }),
  }),
  { maxKeys: 3, noNullPrototype: true },
);
/** Valid policies, in nearly every section and key. */
export const policies: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc
  .tuple(
    fc.record({ policy_id: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,20}$/), version: fc.nat() }),
    optional({
      js_sensor: sensor,
      python_sensor: sensor,
      gateway: optional({ mcp }),
      langchain: optional({ enable: fc.boolean(), capture_content: fc.boolean() }),
      a2a: optional({
        remediate,
        agent_card: optional({ name: patterns, skills: optional({ description: patterns }) }),
      }),
      llm: optional({
        providers: list(fc.constantFrom('openai', 'anthropic')),
        capture_content: fc.boolean(),
        redact: patterns,
      }),
      exec: fc
        .tuple(lists(glob), optional({ remediate, drift: fc.constantFrom('allow', 'deny') }))
        .map(([a, b]) => ({ ...a, ...b })),
      options: optional({
        volumes: lists(glob),
        user: fc.constantFrom('', '1000:1000', 'nobody'),
        namespaces: optional({ pid: fc.boolean(), user: fc.boolean() }),
        limits: optional({
          memory: fc.constantFrom('512m', '1.5g', 10_000_000),
          cpus: fc.double({ min: 0.1, max: 64, noNaN: true }),
          pids: fc.integer({ min: 1, max: 9999 }),
        }),
      }),
      network,
    }),
  )
  .map(([head, sections]) => ({ ...head, ...sections }));
