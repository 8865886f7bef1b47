import { expect, test } from 'vitest';

import { earFor, type Heard } from './answer.ts';

/** What is heard of `pieces`, each of which comes as one chunk. */
function heard(contentType: string, ...pieces: readonly (string | Uint8Array)[]): Heard {
  const ear = earFor(contentType);
  for (const piece of pieces) ear.take(typeof piece === 'string' ? Buffer.from(piece) : piece);
  return ear.end();
}

const STREAM = 'text/event-stream; charset=utf-8';
const data = (...messages: readonly unknown[]): string =>
  messages.map((message) => `data: ${JSON.stringify(message)}\n\n`).join('');
const chat = (content: string, more: object = {}): unknown => ({
  id: 'c',
  model: 'm',
  choices: [{ index: 0, delta: { content }, ...more }],
});

const call = (index: number, text: string): unknown => ({
  choices: [{ index: 0, delta: { tool_calls: [{ index, function: { arguments: text } }] } }],
});
const input = (partial_json: string): unknown => ({
  type: 'content_block_delta',
  index: 1,
  delta: { type: 'input_json_delta', partial_json },
});
const said = (delta: string): unknown => ({ type: 'response.output_text.delta', output_index: 0, delta });

test('a plain answer', () => {
  const text = JSON.stringify({
    id: 'a',
    model: 'm',
    choices: [{ finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 4 },
  });
  expect(heard('application/json', text.slice(0, 7), text.slice(7))).toEqual({
    answers: [{ choices: [{ finish_reason: 'stop' }] }],
    attributes: {
      'gen_ai.response.id': 'a',
      'gen_ai.response.model': 'm',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 3,
      'gen_ai.usage.output_tokens': 4,
    },
  });
});

test('an answer that is no JSON says nothing', () => {
  expect(heard('text/html', '<p>')).toEqual({ answers: [], attributes: {} });
});

test('pieces of a stream are joined by where they belong, however the bytes are cut', () => {
  const bytes = Buffer.from(
    data(chat('my key is sk-01234'), chat('56789abcdef ü'), chat('', { finish_reason: 'stop' })),
  );
  const one = heard(STREAM, ...Array.from(bytes, (byte) => Uint8Array.of(byte)));
  expect(one.answers).toEqual([{ 'choice 0 content': 'my key is sk-0123456789abcdef ü' }]);
  expect(one.attributes).toMatchObject({ 'gen_ai.response.model': 'm', 'gen_ai.response.finish_reasons': ['stop'] });
});

test('calls of tools, of both vendors', () => {
  expect(heard(STREAM, data(call(0, '{"a"'), call(1, '{}'), call(0, ':1}'))).answers).toEqual([
    { 'choice 0 call 0 arguments': '{"a":1}', 'choice 0 call 1 arguments': '{}' },
  ]);
  const start = { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', name: 'find', input: {} } };
  expect(heard(STREAM, data(start, input('{"q":'), input('1}'))).answers).toEqual([
    { 'block 1 name': 'find', 'block 1 partial_json': '{"q":1}' },
  ]);
});

test("openai's responses: the whole at its end, the pieces where there is no end", () => {
  const output = [{ type: 'message', content: [{ type: 'output_text', text: 'hello' }] }];
  const end = { type: 'response.completed', response: { id: 'r', output, usage: { output_tokens: 2 } } };
  expect(heard(STREAM, data(said('hel'), said('lo'), end))).toEqual({
    answers: [{ output }],
    attributes: { 'gen_ai.response.id': 'r', 'gen_ai.usage.output_tokens': 2 },
  });
  expect(heard(STREAM, data(said('hel'), said('lo'))).answers).toEqual([{ 'response.output_text.delta 0': 'hello' }]);
});

test('what comes last of a very long stream is heard, and what is kept is bounded', () => {
  const pieces = Array.from({ length: 2000 }, () => data(chat('x'.repeat(1000))));
  const { answers, attributes } = heard(STREAM, ...pieces, data({ usage: { completion_tokens: 5 }, choices: [] }));
  expect(attributes).toMatchObject({ 'gen_ai.usage.output_tokens': 5 });
  expect(JSON.stringify(answers).length).toBeLessThan(300_000);
});

test('a stream whose last line was cut', () => {
  const text = [
    'event: message_start',
    'data: {"type":"message_start","message":{"id":"x","model":"c","usage":{"input_tokens":9}}}',
    'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}',
    'data: [DONE]',
    'data: {"type":"mess',
  ].join('\r\n');
  expect(heard(STREAM, text).attributes).toEqual({
    'gen_ai.response.id': 'x',
    'gen_ai.response.model': 'c',
    'gen_ai.response.finish_reasons': ['end_turn'],
    'gen_ai.usage.input_tokens': 9,
    'gen_ai.usage.output_tokens': 2,
  });
});
