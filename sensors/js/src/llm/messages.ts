import { isObject, type WireObject } from '../mcp/wire.ts';

/** The JSON objects in a response's text: one, or the `data:` lines of an event stream. */
export function messagesOf(text: string, eventStream: boolean): readonly WireObject[] {
  if (!eventStream) return objects([text]);
  const lines = text.split(/\r?\n/).filter((line) => line.startsWith('data:'));
  return objects(lines.map((line) => line.slice('data:'.length)));
}

/** What parses; a stream's `[DONE]` and a cut last line don't. */
function objects(texts: readonly string[]): WireObject[] {
  return texts.flatMap((text) => {
    try {
      const value: unknown = JSON.parse(text);
      return isObject(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}
