import type { ReadableByteStreamController } from 'node:stream/web';

/** Bytes of a response that are kept for its event. */
const MAX_KEPT = 256 * 1024;

/**
 * A response that reads like `response` and tells `done` its text (bounded) when its body has ended, was cancelled or
 * broke. Chunks pass one by one, as the program asks for them: nothing is buffered ahead (not `clone` or `tee`, which
 * keep what one side hasn't read).
 */
export function listening(response: Response, done: (text: string) => void): Response {
  const body = response.body;
  if (body === null) {
    done('');
    return response;
  }
  const reader = body.getReader();
  const kept: Uint8Array[] = [];
  let size = 0;
  let told = false;
  const tell = (): void => {
    if (told) return;
    told = true;
    done(Buffer.concat(kept).toString('utf8'));
  };
  const passed = new ReadableStream(
    {
      type: 'bytes',
      async pull(controller: ReadableByteStreamController) {
        try {
          const { done: ended, value } = await reader.read();
          if (ended) {
            tell();
            controller.close();
            controller.byobRequest?.respond(0);
            return;
          }
          if (size < MAX_KEPT) kept.push(value.slice(0, MAX_KEPT - size));
          size += value.byteLength;
          controller.enqueue(value);
        } catch (error) {
          tell();
          controller.error(error);
        }
      },
      async cancel(reason) {
        tell();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return likeOriginal(new Response(passed, response), response);
}

/** A constructed Response loses where it came from. */
function likeOriginal(made: Response, original: Response): Response {
  for (const key of ['url', 'redirected', 'type'] as const) {
    Object.defineProperty(made, key, { value: original[key], configurable: true });
  }
  return made;
}
