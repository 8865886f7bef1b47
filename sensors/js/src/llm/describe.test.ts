import { expect, test } from 'vitest';

import { promptsOf, requestAttributes } from './describe.ts';

test('a request is told by its parameters, its prompts apart', () => {
  const body = { model: 'm', temperature: 0.5, stream: true, messages: [{ role: 'user', content: 'hi' }], user: 'me' };
  expect(requestAttributes(body)).toEqual({
    'gen_ai.request.model': 'm',
    'gen_ai.request.temperature': 0.5,
    'gen_ai.request.stream': true,
  });
  expect(promptsOf(body)).toEqual({ messages: body.messages });
});
