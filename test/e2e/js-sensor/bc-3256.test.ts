import { describe, expect, test } from 'vitest';

import type { Dialog, Refusal } from './helpers/dialogs.ts';
import { verifies } from '../helpers/verifies.ts';
import { program, type PackageSet } from './helpers/packages.ts';
import { denyOn } from './helpers/policy.ts';
import { run } from './helpers/run.ts';

const CONVERSATIONS: readonly [PackageSet, string, readonly string[]][] = [
  ['v1', 'v1.mjs', ['stdio']],
  ['v1', 'v1.mjs', ['http-json']],
  ['v1', 'v1.mjs', ['http-sse']],
  ['v1', 'v1.mjs', ['sse']],
  ['v2', 'v2.mjs', ['stdio']],
  ['v2', 'v2.mjs', ['http-json']],
  ['v2', 'v2.mjs', ['http-sse']],
  ['v2', 'v2.mjs', ['handler-json', 'auto']],
  ['v2', 'v2.mjs', ['handler-sse', 'auto']],
];

describe('BC-3256: a tool that policy denies on the client side', () => {
  for (const [set, file, args] of CONVERSATIONS) {
    verifies(
      ['BC-3256', 'MCP-01'],
      `${set} ${args.join(' ')}: is neither listed nor callable, and both are told`,
      async () => {
        const { stdout, lines } = await run([await program(set, file), ...args], { policy: denyOn('client') });
        const seen = JSON.parse(stdout) as Dialog;
        expect(seen.tools).toEqual(['echo']);
        const danger = seen.danger as Refusal;
        expect(danger.code).toBe(-32010);
        expect(seen.again).toBe('still here');
        const broken = lines.filter(
          (line) => line.name === 'mcp_violation' && line.attributes?.['gen_ai.tool.name'] === 'danger',
        );
        expect(
          broken.map((line) => [line.attributes?.['mcp.method.name'], line.violation?.action, line.severity]),
        ).toEqual([
          ['tools/list', 'blocked', 'ERROR'],
          ['tools/call', 'blocked', 'ERROR'],
        ]);
        expect(danger.data).toEqual({
          rule: broken[1]?.violation?.rule,
          policy: 'test',
          event_id: broken[1]?.id,
          message: expect.stringMatching(/\S/) as string,
        });
      },
    );
  }

  test('in observe mode stays, works, and is told', async () => {
    const { stdout, lines } = await run([await program('v1', 'v1.mjs'), 'stdio'], { policy: denyOn('client', false) });
    const seen = JSON.parse(stdout) as Dialog;
    expect(seen.tools).toEqual(['echo', 'danger']);
    expect(seen.danger).toBe('DANGER x');
    const told = lines.filter((line) => line.violation !== undefined);
    expect(new Set(told.map((line) => `${line.violation?.mode} ${line.violation?.action} ${line.severity}`))).toEqual(
      new Set(['observe allowed WARN']),
    );
  });
});
