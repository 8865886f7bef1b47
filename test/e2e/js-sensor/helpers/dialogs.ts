import type { PackageSet } from './packages.ts';

/** What the client of programs/dialog.mjs saw; a refusal is an object. */
export interface Dialog {
  readonly tools: readonly string[];
  readonly resources: readonly string[];
  readonly templates: readonly string[];
  readonly prompts: readonly string[];
  readonly echo: string;
  readonly danger: string | Refusal;
  readonly open: string;
  readonly secret: string | Refusal;
  readonly greet: string;
  readonly trick: string | Refusal;
  readonly again: string;
  readonly v2: boolean;
}

export interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly data: Readonly<Record<string, string>>;
}

/** A conversation: packages, program, arguments. */
export type Conversation = readonly [PackageSet, string, readonly string[]];

/** Every line of SDK, transport, answer format and protocol era that the programs can speak. */
export const CONVERSATIONS: readonly Conversation[] = [
  ...['memory', 'stdio', 'http-json', 'http-sse', 'sse'].map((via): Conversation => ['v1', 'v1.mjs', [via]]),
  ...['memory', 'stdio', 'http-json', 'http-sse', 'sse'].map((via): Conversation => ['v1-old', 'v1.mjs', [via]]),
  ...['memory', 'stdio', 'serve-stdio', 'http-json', 'http-sse', 'handler-json', 'handler-sse'].map(
    (via): Conversation => ['v2', 'v2.mjs', [via]],
  ),
  ...['serve-stdio', 'handler-json', 'handler-sse'].map((via): Conversation => ['v2', 'v2.mjs', [via, 'auto']]),
];

/** The majors of Node that a run covers: all of them where UCP_FULL is set. */
export const NODES: readonly (20 | 22 | 24 | 26)[] = process.env['UCP_FULL'] !== '1' ? [20, 24] : [20, 22, 24, 26];
