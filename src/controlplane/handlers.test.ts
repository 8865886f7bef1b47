import { expect, test } from 'vitest';

import { type HandlerContext, handlers } from './handlers.ts';

/** As much of a context as `prepare` looks at before it works. */
function context(leaving: boolean): HandlerContext {
  const engine = { endpoint: 'unix:///own.sock' };
  return { leaving: () => leaving, sandboxContext: { engine } } as unknown as HandlerContext;
}

const prepare = (leaving: boolean, engine: string): unknown =>
  handlers(context(leaving)).prepare({ engine } as never, {} as never);

test('a control plane that is leaving takes no new run', async () => {
  await expect(prepare(true, 'unix:///own.sock')).rejects.toMatchObject({ code: 'CONTROLPLANE_LEAVING' });
});

test('a run on another engine is refused with both names', async () => {
  await expect(prepare(false, 'tcp://other:2375')).rejects.toMatchObject({
    code: 'ENGINE_MISMATCH',
    message: expect.stringMatching(/tcp:\/\/other:2375.*unix:\/\/\/own\.sock/) as unknown,
  });
});
