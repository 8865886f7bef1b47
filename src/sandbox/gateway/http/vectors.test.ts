import { describe, expect, test } from 'vitest';

import type { SensorPolicyFile } from '../../../core/sensor-protocol.ts';
import { type Case, casesOf, expected, type Outcome, question, rulesIn } from '../testing-vectors.ts';
import { HttpScene, rpc } from './testing.ts';

/** How a server answers over HTTP. */
const FORMS = {
  JSON: { type: 'application/json', write: (text: string) => text, read: (body: string) => body },
  'an event stream': {
    type: 'text/event-stream',
    write: (text: string) => `data: ${text}\n\n`,
    read: (body: string) => body.replace(/^(?:event: message\n)?data: /, '').replace(/\n\n$/, ''),
  },
};

async function converse(file: SensorPolicyFile, one: Case, form: keyof typeof FORMS): Promise<Outcome> {
  const { query } = one;
  const { type, write, read } = FORMS[form];
  await using scene = await HttpScene.under(null);
  scene.gateway.update(file);
  scene.answers(rpc({ id: 0, result: { serverInfo: { name: query.server ?? '' } } }));
  await scene.post(rpc({ id: 0, method: 'initialize' }));
  if (query.part === 'responses') {
    scene.answers(write(question(one, query.value).trim()), type);
    const { body } = await scene.post(question({ ...one, query: { ...query, part: undefined } }, undefined));
    return { passed: inLine(read(body)), rules: rulesIn(await scene.events()) };
  }
  await scene.post(question(one, query.value));
  return { passed: inLine(scene.reached[1] ?? ''), rules: rulesIn(await scene.events()) };
}

/** What passed as the vectors write it. */
const inLine = (text: string): string => (text === '' ? '' : `${text.trim()}\n`);

describe.each([
  ['mcp-names', 'name'],
  ['mcp-content', 'content'],
])('%s', (name, op) => {
  describe.each(['JSON', 'an event stream'] as const)('over HTTP, answered with %s', (form) => {
    test.each(casesOf(name, op))('%s', async (_, one, file) => {
      expect(await converse(file, one, form)).toEqual(expected(one));
    });
  });
});
