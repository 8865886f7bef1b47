import { expect, test } from 'vitest';

import { EventList } from '../testing/event-list.ts';
import { Vault } from './vault.ts';

const event = (sandbox_id: string) =>
  ({
    name: 'mcp_call',
    domain: 'mcp',
    severity: 'WARN',
    scope: 'gateway',
    sandbox: { sandbox_id },
    body: { args: ['--key', 'kept-8121'], 'kept-8121': { deep: 'is kept-8121!' }, size: 3 },
    attributes: { path: '/kept-8121' },
    violation: { rule: '/r', mode: 'observe', action: 'allowed', message: 'kept-8121 was said' },
  }) as const;

test('the events of a sandbox lose the values of its secrets, those of others nothing', () => {
  const vault = new Vault();
  const list = new EventList();
  vault.put('one', { key: Buffer.from('kept-8121\n').toString('base64') });
  const events = vault.redacting(list);
  events.emit(event('one'));
  events.emit(event('two'));
  expect(list.events[0]).toMatchObject({
    body: { args: ['--key', '[secret]'], '[secret]': { deep: 'is [secret]!' }, size: 3 },
    attributes: { path: '/[secret]' },
    violation: { message: '[secret] was said' },
  });
  expect(list.events[1]).toEqual(event('two'));
});

test('SECRETS_MISSING: what was not given, or was forgotten, is asked for', () => {
  const vault = new Vault();
  const wanted = [{ name: 'key', env: 'KEY' }];
  expect(() => vault.of('one', 'box', wanted)).toThrow(expect.objectContaining({ code: 'SECRETS_MISSING' }));
  vault.put('one', { key: Buffer.from('v').toString('base64') });
  expect(vault.of('one', 'box', wanted)).toEqual([[wanted[0], Buffer.from('v')]]);
  vault.forget('one');
  expect(() => vault.of('one', 'box', wanted)).toThrow(/restart box/);
});
