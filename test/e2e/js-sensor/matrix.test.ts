import { describe, expect, test } from 'vitest';

import { CONVERSATIONS, NODES, type Dialog } from './helpers/dialogs.ts';
import { nodeBinary, program } from './helpers/packages.ts';
import { denyOn } from './helpers/policy.ts';
import { run } from './helpers/run.ts';

const SIDES = ['client', 'server'] as const;

/** One hidden and one refused of each kind, as events of one side. */
const TOLD = ['danger', 'mem://secret', 'trick'].flatMap((name) => [`${name} list`, `${name} call`]);

describe.each(NODES)('on Node %i', (major) => {
  describe.each(SIDES)('denied on the %s side alone', (side) => {
    test.concurrent.each(CONVERSATIONS)(
      '%s %s %j: hidden, refused, told once; the rest untouched',
      async (set, file, args) => {
        const node = await nodeBinary(major);
        const ran = await run([await program(set, file), ...args], { node, policy: denyOn(side) });
        expect({ code: ran.exitCode, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
        const seen = JSON.parse(ran.stdout) as Dialog;
        const refused = expect.objectContaining({
          code: -32010,
          data: expect.objectContaining({ policy: 'test' }) as unknown,
        }) as unknown;
        expect(seen).toEqual({
          tools: ['echo'],
          resources: ['mem://open'],
          templates: ['user://{id}'],
          prompts: ['greet'],
          echo: 'hello',
          danger: refused,
          open: 'open',
          secret: refused,
          greet: 'hi',
          trick: refused,
          again: 'still here',
          v2: set === 'v2',
        });
        const told = ran.lines
          .filter((line) => line.name === 'mcp_violation')
          .map(({ attributes: at = {}, body }) => {
            expect(body['side']).toBe(side);
            const target = at['gen_ai.tool.name'] ?? at['mcp.resource.uri'] ?? at['gen_ai.prompt.name'];
            const method = JSON.stringify(at['mcp.method.name']);
            return `${target as string} ${method.endsWith('/list"') ? 'list' : 'call'}`;
          });
        expect(told.toSorted()).toEqual(TOLD.toSorted());
      },
    );
  });
});
