import { describe, expect, it } from 'vitest';

import { compileExec, decideExec, type ExecQuery } from './exec.ts';

type Section = NonNullable<Parameters<typeof compileExec>[0]['exec']>;

function ask(exec: Section, query: ExecQuery | string): string {
  const decision = decideExec(compileExec({ exec }), typeof query === 'string' ? { path: query } : query);
  return `${decision.action}${decision.violation ? ' !' : ''} ${decision.rule ?? ''}`.trim();
}

describe('decideExec', () => {
  it.each<[string, Section, ExecQuery | string, string]>([
    ['allows what no list speaks of', { remediate: true }, '/bin/ls', 'allowed'],
    [
      'allows nothing with an empty allow_list',
      { remediate: true, allow_list: [] },
      '/bin/ls',
      'blocked ! /exec/allow_list',
    ],
    [
      'names the rule that allows',
      { remediate: true, allow_list: ['/a', '/bin/*'] },
      '/bin/ls',
      'allowed /exec/allow_list/1',
    ],
    [
      'names the rule that denies',
      { remediate: true, deny_list: ['/x', '**/curl'] },
      '/usr/bin/curl',
      'blocked ! /exec/deny_list/1',
    ],
    [
      'lets deny win',
      { remediate: true, allow_list: ['/bin/*'], deny_list: ['/bin/sh'] },
      '/bin/sh',
      'blocked ! /exec/deny_list/0',
    ],
    ['only logs when it observes', { deny_list: ['/bin/sh'] }, '/bin/sh', 'allowed ! /exec/deny_list/0'],
    ['is off when it is switched off', { enable: false, remediate: true, allow_list: [] }, '/bin/sh', 'allowed'],
    ['does not let * cross a slash', { remediate: true, deny_list: ['/usr/*'] }, '/usr/bin/sh', 'allowed'],
    [
      'lets ** cross slashes',
      { remediate: true, deny_list: ['/usr/**'] },
      '/usr/bin/sh',
      'blocked ! /exec/deny_list/0',
    ],
    ['tells case apart', { remediate: true, deny_list: ['/bin/sh'] }, '/bin/SH', 'allowed'],
    ['tells a trailing space apart', { remediate: true, deny_list: ['/bin/sh'] }, '/bin/sh ', 'allowed'],
    [
      'denies by the link that was used',
      { remediate: true, deny_list: ['/usr/bin/python3'] },
      { path: '/usr/bin/python3.12', usedPath: '/usr/bin/python3' },
      'blocked ! /exec/deny_list/0',
    ],
    [
      'denies by the file behind a link',
      { remediate: true, deny_list: ['/usr/bin/curl'] },
      { path: '/usr/bin/curl', usedPath: '/tmp/x' },
      'blocked ! /exec/deny_list/0',
    ],
    [
      'allows by the link that was used',
      { remediate: true, allow_list: ['/usr/bin/python3'] },
      { path: '/usr/bin/python3.12', usedPath: '/usr/bin/python3' },
      'allowed /exec/allow_list/0',
    ],
    ['denies drift', { remediate: true, drift: 'deny' }, { path: '/tmp/x', origin: 'drift' }, 'blocked ! /exec/drift'],
    [
      'counts volumes as not of the image',
      { remediate: true, drift: 'deny', allow_list: ['/v/**'] },
      { path: '/v/x', origin: 'volume' },
      'blocked ! /exec/drift',
    ],
    ['leaves the image alone', { remediate: true, drift: 'deny' }, { path: '/bin/ls', origin: 'image' }, 'allowed'],
    [
      'lets the deny_list speak before drift',
      { remediate: true, drift: 'deny', deny_list: ['/tmp/**'] },
      { path: '/tmp/x', origin: 'drift' },
      'blocked ! /exec/deny_list/0',
    ],
  ])('%s', (_, exec, query, expected) => {
    expect(ask(exec, query)).toBe(expected);
  });

  it('keeps every rule of a list of 20,000 (EX-15)', () => {
    const deny_list = Array.from({ length: 20_000 }, (_, index) => `/opt/app-${index}/*/bin`);
    const compiled = compileExec({ exec: { remediate: true, deny_list } });
    for (const index of [0, 65, 9_999, 19_999]) {
      expect(decideExec(compiled, { path: `/opt/app-${index}/x/bin` }).rule).toBe(`/exec/deny_list/${index}`);
    }
  });

  it('says to people what broke which rule, and to models not to try again', () => {
    const compiled = compileExec({ exec: { remediate: true, deny_list: ['**/curl'] } });
    expect(decideExec(compiled, { path: '/usr/bin/curl' })).toEqual({
      allowed: false,
      rule: '/exec/deny_list/0',
      mode: 'enforce',
      action: 'blocked',
      violation: true,
      message:
        '"/usr/bin/curl" is denied. Blocked by /exec/deny_list/0. Take the path out of the deny_list to allow it.',
      modelMessage:
        'Operator policy does not permit executing "/usr/bin/curl". Do not retry it and do not work around it; report this to the user.',
    });
  });
});
