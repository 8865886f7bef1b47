import { describe, expect, test } from 'vitest';

import type { SensorLine } from '../../../src/core/sensor-protocol.ts';
import { NODES } from './helpers/dialogs.ts';
import { nodeBinary, program } from './helpers/packages.ts';
import { run } from './helpers/run.ts';
import { Vendor } from './helpers/vendor.ts';

interface Got {
  readonly plain: string;
  readonly stream: string;
  readonly early: string;
  readonly split: string;
  readonly anthropic: string;
  readonly error: string;
  readonly gaps: readonly number[];
}

async function call(
  policy: { llm?: Record<string, boolean> },
  node?: string,
): Promise<{ got: Got; lines: readonly SensorLine[] }> {
  await using vendor = await Vendor.listening();
  const ran = await run([await program('llm', 'llm.mjs'), vendor.url], {
    policy,
    ...(node === undefined ? {} : { node }),
  });
  expect({ code: ran.exitCode, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
  return { got: JSON.parse(ran.stdout) as Got, lines: ran.lines.filter((line) => line.domain === 'llm') };
}

describe.each(NODES)('on Node %i', (major) => {
  test('calls of openai and anthropic are told with request, response, stream and failure', async () => {
    const { got, lines } = await call({ llm: {} }, await nodeBinary(major));
    expect(got).toMatchObject({
      plain: 'hello',
      stream: 'onetwothree',
      early: 'one',
      split: 'it is sk-live-0123456789abcdef!',
      anthropic: 'hello from anthropic',
      error: 'NotFoundError 404',
    });
    const [first] = lines;
    expect(first).toMatchObject({
      name: 'llm_request',
      attributes: {
        'gen_ai.provider.name': 'openai',
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'gpt-x',
        'gen_ai.request.temperature': 0.5,
      },
      body: { messages: [{ role: 'user', content: 'my key is [redacted]' }] },
    });
    const responses = lines.filter((line) => line.name === 'llm_response');
    expect(
      responses.map(({ attributes: at = {} }) => [at['gen_ai.response.model'], at['http.response.status_code']]),
    ).toEqual([
      ['gpt-x-1', 200],
      ['gpt-x-1', 200],
      ['gpt-x-1', 200],
      ['gpt-x-1', 200],
      ['claude-x-1', 200],
      [undefined, 404],
    ]);
    expect(responses[0]).toMatchObject({
      body: { request: first?.id, answers: [{ choices: [{ finish_reason: 'stop' }] }] },
      attributes: { 'gen_ai.usage.input_tokens': 5, 'gen_ai.usage.output_tokens': 2 },
    });
    expect(responses[1]?.body['answers']).toEqual([{ 'choice 0 content': 'onetwothree' }]);
    // A model said a key in two pieces: neither of them leaves the process.
    expect(responses[3]?.body['answers']).toEqual([{ 'choice 0 content': 'it is [redacted]!' }]);
    expect(JSON.stringify(lines)).not.toMatch(/01234|56789abcdef/);
  });
});

test('without content the calls are told, not what was said', async () => {
  const { lines } = await call({ llm: { capture_content: false } });
  expect(lines).toHaveLength(12);
  expect(JSON.stringify(lines)).not.toMatch(/hello|my key|three/);
});

test('a policy without the section llm tells nothing', async () => {
  expect((await call({})).lines).toEqual([]);
});

test("Vercel's AI SDK: what it asks and what the model says, whole and streamed", async () => {
  await using vendor = await Vendor.listening();
  const ran = await run([await program('ai', 'ai-llm.mjs'), vendor.url], { policy: { llm: {} } });
  expect({ code: ran.exitCode, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(ran.stdout)).toEqual({ text: 'hello', streamed: 'onetwothree' });
  const told = ran.lines.filter((line) => line.domain === 'llm');
  expect(told.map((line) => line.name)).toEqual(['llm_request', 'llm_response', 'llm_request', 'llm_response']);
  expect(told[0]?.attributes).toMatchObject({ 'gen_ai.provider.name': 'openai', 'gen_ai.request.model': 'gpt-x' });
  expect(told[3]?.body['answers']).toEqual([{ 'choice 0 content': 'onetwothree' }]);
  expect(JSON.stringify(told)).not.toContain('0123456789abcdef');
});
