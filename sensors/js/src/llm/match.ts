/** A call of a language model, as far as its request line tells. */
export interface LlmCall {
  readonly provider: 'openai' | 'anthropic';
  /** OpenTelemetry's `gen_ai.operation.name`. */
  readonly operation: 'chat' | 'text_completion' | 'embeddings';
  readonly host: string;
}

/** Last part of the path, and whose it is. Vendors' SDKs let the application choose host and prefix. */
const ENDPOINTS: readonly (readonly [string, LlmCall['provider'], LlmCall['operation']])[] = [
  ['/chat/completions', 'openai', 'chat'],
  ['/responses', 'openai', 'chat'],
  ['/completions', 'openai', 'text_completion'],
  ['/embeddings', 'openai', 'embeddings'],
  ['/v1/messages', 'anthropic', 'chat'],
];

/** What a POST to `url` is; `undefined`: no call of a model. */
export function llmCallOf(url: string): LlmCall | undefined {
  const path = (/^https?:\/\/([^/?#]*)([^?#]*)/i.exec(url) ?? [])[2];
  if (path === undefined) return undefined;
  const found = ENDPOINTS.find(([ending]) => path.endsWith(ending));
  if (found === undefined) return undefined;
  const host = url.slice(url.indexOf('//') + 2, url.indexOf('/', url.indexOf('//') + 2));
  return { provider: found[1], operation: found[2], host: host.slice(host.lastIndexOf('@') + 1) };
}
