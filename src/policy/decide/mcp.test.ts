import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { hostEngine } from './host-engine.ts';
import { decideMcpContent } from './mcp-content.ts';
import { compileMcp, decideMcpName, type McpNameQuery } from './mcp.ts';
import type { McpPolicy } from './mcp-rules.ts';

const QUERY: McpNameQuery = { side: 'client', kind: 'tool', server: 'files', name: 'delete_file' };
const patterns = fc.option(
  fc.record({
    deny: fc.constantFrom([], [{ name: 'x', regex: 'x+' }]),
    builtin: fc.constantFrom<('secrets' | 'pii')[]>([], ['secrets'], ['pii', 'secrets']),
    action: fc.constantFrom<'block' | 'redact'>('block', 'redact'),
  }),
  { nil: undefined },
);

/** Everything that may stand beside the rule that is tested. */
const beside = fc.record({
  allow_list: fc.constantFrom(undefined, [], ['*'], ['delete_file'], ['other']),
  arguments: patterns,
  responses: patterns,
});
const around = fc.record({
  http_servers: fc.constantFrom(undefined, { deny_http: false, exception_list: ['https://a.example'] }),
  stdio_servers: fc.constantFrom(undefined, { deny_stdio: true, exception_list: [] }),
  server: fc.constantFrom(undefined, { enable: false }, { remediate: false }),
  on_error: fc.constantFrom<'allow' | 'block' | undefined>(undefined, 'allow', 'block'),
});
const star = fc.constantFrom(undefined, {}, { allow_list: ['*'] }, { deny_list: [] });

function policyOf(rules: object, more: object, fallback: object | undefined): McpPolicy {
  const tools = { files: rules, ...(fallback === undefined ? {} : { '*': fallback }) };
  return { js_sensor: { remediate: true, mcp: { ...more, client: { tools } } } };
}

describe('features beside each other (PL-11)', () => {
  it('never open what a deny_list closes', () => {
    fc.assert(
      fc.property(beside, around, star, (rules, more, fallback) => {
        const policy = policyOf({ ...rules, deny_list: ['delete_file'] }, more, fallback);
        const decision = decideMcpName(compileMcp(policy, 'js_sensor', hostEngine), QUERY);
        expect(decision).toMatchObject({ allowed: false, rule: '/js_sensor/mcp/client/tools/files/deny_list/0' });
      }),
      { numRuns: 500 },
    );
  });

  it('never open what an empty allow_list closes', () => {
    fc.assert(
      fc.property(beside, around, star, (rules, more, fallback) => {
        const policy = policyOf({ ...rules, allow_list: [] }, more, fallback);
        expect(decideMcpName(compileMcp(policy, 'js_sensor', hostEngine), QUERY).allowed).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('never let a matching text through unchanged', () => {
    fc.assert(
      fc.property(
        beside,
        around,
        star,
        fc.constantFrom<'block' | 'redact'>('block', 'redact'),
        (rules, more, fallback, action) => {
          const policy = policyOf(
            { ...rules, arguments: { deny: [{ name: 'k', regex: 'KEY-\\d+' }], action } },
            more,
            fallback,
          );
          const compiled = compileMcp(policy, 'js_sensor', hostEngine);
          const { allowed, value } = decideMcpContent(compiled, {
            ...QUERY,
            part: 'arguments',
            value: { a: 'KEY-12' },
          });
          expect(allowed && JSON.stringify(value).includes('KEY-12')).toBe(false);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('a compiled policy', () => {
  it('decides as before when its document is changed, so that a change is one swap (PL-09)', () => {
    const deny_list = ['delete_file'];
    const policy: McpPolicy = { js_sensor: { remediate: true, mcp: { client: { tools: { files: { deny_list } } } } } };
    const compiled = compileMcp(policy, 'js_sensor', hostEngine);
    deny_list.length = 0;
    if (policy.js_sensor) policy.js_sensor.remediate = false;
    expect(decideMcpName(compiled, QUERY)).toMatchObject({ allowed: false, mode: 'enforce' });
    expect(decideMcpName(compileMcp(policy, 'js_sensor', hostEngine), QUERY).violation).toBe(false);
  });

  it('says to people and to models what was refused', () => {
    const compiled = compileMcp(policyOf({ deny_list: ['delete_file'] }, {}, undefined), 'js_sensor', hostEngine);
    const { message, modelMessage } = decideMcpName(compiled, QUERY);
    expect(message).toBe(
      'The tool "delete_file" of server "files" is denied. Blocked by /js_sensor/mcp/client/tools/files/deny_list/0. Take it out of the deny_list to allow it.',
    );
    expect(modelMessage).toBe(
      'Operator policy does not permit the tool "delete_file". Do not retry it and do not work around it; report this to the user.',
    );
  });
});
