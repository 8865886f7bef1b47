import { expect, test } from 'vitest';

import { compileSpec } from './compile-spec.ts';
import { explainSpec } from './explain.ts';
import { imageOf, planOf, requestOf } from './fixtures.ts';

test('every field of the spec has someone who decided it; notes of the plan come first', () => {
  const note = { field: 'HostConfig.PidsLimit', by: 'policy', source: '/options/limits', reason: 'r' } as const;
  const request = requestOf({ limits: { memory: 1024 } });
  const plan = planOf({ notes: [note, { ...note, field: 'Env NODE_OPTIONS' }] });
  const { spec } = compileSpec(plan, request, imageOf(), { recursiveReadOnly: false });
  const rows = explainSpec(spec, plan, request);
  const row = (field: string): unknown => rows.find((one) => one.field === field);
  expect(row('HostConfig.PidsLimit')).toMatchObject({ value: '64', by: 'policy', source: '/options/limits' });
  expect(row('HostConfig.Memory')).toMatchObject({ by: 'flag', source: '--memory' });
  expect(row('HostConfig.NanoCpus')).toMatchObject({ by: 'default' });
  expect(row('HostConfig.CapDrop')).toMatchObject({ value: '["ALL"]', source: 'hardening' });
  expect(row('Env NODE_OPTIONS')).toBeDefined();
  expect(rows.length).toBeGreaterThan(Object.keys(spec).length);
});
