import { expect, test } from 'vitest';

import { llmCallOf } from './match.ts';

test.each([
  ['https://api.openai.com/v1/chat/completions', 'openai chat api.openai.com'],
  ['https://api.openai.com/v1/responses?x=1', 'openai chat api.openai.com'],
  ['https://x.openai.azure.com/openai/deployments/d/embeddings?api-version=1', 'openai embeddings x.openai.azure.com'],
  ['https://api.anthropic.com/v1/messages?beta=true', 'anthropic chat api.anthropic.com'],
  ['http://user:pw@localhost:1/v1/completions', 'openai text_completion localhost:1'],
])('%s is a call', (url, expected) => {
  const call = llmCallOf(url);
  expect(`${call?.provider} ${call?.operation} ${call?.host}`).toBe(expected);
});

test.each(['https://example.com/', 'https://example.com/messages', 'ftp://a/v1/messages', '/v1/messages'])(
  '%s is none',
  (url) => {
    expect(llmCallOf(url)).toBeUndefined();
  },
);
