import { expect, test } from 'vitest';

import { LOADER } from './register.ts';
import { rewrite } from './rewrite.ts';

test("the old loader's text and rewrite() turn the same", async () => {
  const { turn } = (await import(`data:text/javascript,${encodeURIComponent(LOADER)}`)) as {
    turn: (text: string) => string;
  };
  for (const source of [
    'await this._transport.start();',
    'a.b.transport.start()',
    'f()._transport.start()',
    'super._transport.start()',
    'yield e._transport.start(),e.transport.start()',
  ]) {
    expect(turn(source)).toBe(rewrite(source) ?? source);
  }
});
