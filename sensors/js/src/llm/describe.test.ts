import { expect, test } from 'vitest';

import { promptsOf, requestAttributes, responseAttributes } from './describe.ts';
import { messagesOf } from './messages.ts';

test('a request is told by its parameters, its prompts apart', () => {
  const body = { model: 'm', temperature: 0.5, stream: true, messages: [{ role: 'user', content: 'hi' }], user: 'me' };
  expect(requestAttributes(body)).toEqual({
    'gen_ai.request.model': 'm',
    'gen_ai.request.temperature': 0.5,
    'gen_ai.request.stream': true,
  });
  expect(promptsOf(body)).toEqual({ messages: body.messages });
});

test('a plain answer', () => {
  const text = JSON.stringify({
    id: 'a',
    model: 'm',
    choices: [{ finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 4 },
  });
  expect(responseAttributes(messagesOf(text, false))).toEqual({
    'gen_ai.response.id': 'a',
    'gen_ai.response.model': 'm',
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.usage.input_tokens': 3,
    'gen_ai.usage.output_tokens': 4,
  });
});

test('a stream, whose last line was cut', () => {
  const text = [
    'event: message_start',
    'data: {"type":"message_start","message":{"id":"x","model":"c","usage":{"input_tokens":9}}}',
    'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}',
    'data: [DONE]',
    'data: {"type":"mess',
  ].join('\n');
  expect(responseAttributes(messagesOf(text, true))).toEqual({
    'gen_ai.response.id': 'x',
    'gen_ai.response.model': 'c',
    'gen_ai.response.finish_reasons': ['end_turn'],
    'gen_ai.usage.input_tokens': 9,
    'gen_ai.usage.output_tokens': 2,
  });
});
