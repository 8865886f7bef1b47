import { beforeEach, expect, test } from 'vitest';

import { Refusals } from './refusals.ts';

const NOTICE = {
  event: 'connection_refused',
  sandboxId: 's1',
  config: 'web',
  rule: '/network/web/egress',
  message: 'No egress rule names "a.example".',
  destination: 'a.example:443',
  count: 1,
} as const;

let said: string[];
let now: number;
beforeEach(() => {
  said = [];
  now = 0;
});

function refusals(request = {}): Refusals {
  return new Refusals(
    (line) => said.push(line),
    request,
    () => now,
  );
}

test('one line says what was refused, by what, and how to ask', () => {
  const { destination: _, ...unasked } = NOTICE;
  refusals().take(NOTICE);
  refusals({ policyFile: '/p.json', policyKey: '/k.pub' }).take(unasked);
  expect(said).toEqual([
    'refused: No egress rule names "a.example"; network config web, /network/web/egress; ask `ucp-sandbox network check web a.example:443`',
    'refused: No egress rule names "a.example"; network config web, /network/web/egress; ask `ucp-sandbox network show web --policy /p.json --policy-key /k.pub`',
  ]);
});

test('the same is said once, others once a second, and none is left out of the count', () => {
  const lines = refusals();
  lines.take(NOTICE);
  lines.take({ ...NOTICE, count: 7 });
  lines.take({ ...NOTICE, message: 'other' });
  now = 2_000;
  lines.take(NOTICE);
  expect(said).toHaveLength(1);
  lines.take({ ...NOTICE, message: 'another' });
  expect(said[1]).toMatch(/^refused: another \(9 others since\);/);
  lines.take(NOTICE);
  lines.end();
  lines.end();
  expect(said.slice(2)).toEqual(['refused: 1 more connections, see `ucpd logs`']);
});
