/** `llm.mjs BASE_URL`: plain and streamed calls through both vendors' packages; prints what the program got. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';

const baseURL = process.argv[2];
const openai = new OpenAI({ apiKey: 'sk-test-0123456789abcdef', baseURL: `${baseURL}/v1`, maxRetries: 0 });
const anthropic = new Anthropic({ apiKey: 'sk-ant-0123456789abcdef', baseURL, maxRetries: 0 });
const messages = [{ role: 'user', content: 'my key is sk-live-0123456789abcdef' }];
const got = {};

const plain = await openai.chat.completions.create({ model: 'gpt-x', messages, temperature: 0.5 });
got.plain = plain.choices[0].message.content;

got.gaps = [];
let last = performance.now();
got.stream = '';
for await (const chunk of await openai.chat.completions.create({ model: 'gpt-x', messages, stream: true })) {
  got.stream += chunk.choices[0]?.delta?.content ?? '';
  got.gaps.push(performance.now() - last);
  last = performance.now();
}

got.early = '';
for await (const chunk of await openai.chat.completions.create({ model: 'gpt-x', messages, stream: true })) {
  got.early = chunk.choices[0]?.delta?.content ?? '';
  break;
}

got.split = '';
for await (const chunk of await openai.chat.completions.create({ model: 'split', messages, stream: true })) {
  got.split += chunk.choices[0]?.delta?.content ?? '';
}

const answer = await anthropic.messages.create({ model: 'claude-x', max_tokens: 9, messages });
got.anthropic = answer.content[0].text;

try {
  await openai.chat.completions.create({ model: 'missing', messages });
} catch (error) {
  got.error = `${error.constructor.name} ${error.status}`;
}
process.stdout.write(`${JSON.stringify(got)}\n`);
