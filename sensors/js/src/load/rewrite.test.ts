import { describe, expect, test } from 'vitest';

import { rewrite } from './rewrite.ts';

describe('rewrite', () => {
  test.each([
    ['await this._transport.start();', 'await __ucpT(this)   .start();'],
    ['await e._transport.start()}', 'await __ucpT(e)   .start()}'],
    ['yield x.y.z._transport.start()', 'yield __ucpT(x.y.z)   .start()'],
    ['return this.transport.start()', 'return __ucpT(this,1).start()'],
    ['(await t.transport.start(),1)', '(await __ucpT(t,1).start(),1)'],
  ])('turns %j', (source, expected) => {
    expect(rewrite(source)).toBe(expected);
    expect(expected).toHaveLength(source.length);
  });

  test.each([
    ['await transport.start()', 'a variable is no property of a protocol object'],
    ['f()._transport.start()', 'the owner would be evaluated twice or cut'],
    ['a[0]._transport.start()', 'an index'],
    ['this?._transport.start()', 'an optional chain'],
    ['return this._webStandardTransport.start();', 'another property'],
    ['this._transport.start(1)', 'another call'],
    ['', 'nothing'],
  ])('leaves %j: %s', (source) => {
    expect(rewrite(source)).toBeUndefined();
  });

  test('keeps every line and column of what follows', () => {
    const source = 'x;\nthis._transport.start();FIRST;\nthis._transport.start();LAST';
    const turned = rewrite(source) ?? '';
    for (const mark of ['FIRST', 'LAST']) expect(turned.indexOf(mark)).toBe(source.indexOf(mark));
    expect(turned.split('\n')).toHaveLength(3);
  });
});
