import type { ReadableByteStreamController } from 'node:stream/web';

/** What listens to a body; neither function may throw. */
export interface Listener {
  /** A chunk, before the program gets it: its memory is the program's afterwards. */
  take(chunk: Uint8Array): void;
  /** The body has ended, was cancelled or broke. Called once. */
  end(): void;
}

/**
 * A response that reads like `response` and tells `listener` what passes. Chunks pass one by one, as the program asks
 * for them: nothing is buffered ahead (not `clone` or `tee`, which keep what one side hasn't read).
 */
export function listening(response: Response, listener: Listener): Response {
  const body = response.body;
  if (body === null) {
    listener.end();
    return response;
  }
  const reader = body.getReader();
  let told = false;
  const tell = (): void => {
    if (told) return;
    told = true;
    listener.end();
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
          listener.take(value);
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
