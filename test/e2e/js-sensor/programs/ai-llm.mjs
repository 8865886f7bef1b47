/** `ai-llm.mjs BASE_URL`: Vercel's AI SDK asks a model, whole and streamed; prints what it said. */
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, streamText } from 'ai';

const openai = createOpenAI({ apiKey: 'test', baseURL: `${process.argv[2]}/v1` });
const asked = { model: openai.chat('gpt-x'), prompt: 'my key is sk-live-0123456789abcdef', maxRetries: 0 };
const { text } = await generateText(asked);
let streamed = '';
for await (const piece of streamText(asked).textStream) streamed += piece;
console.log(JSON.stringify({ text, streamed }));
