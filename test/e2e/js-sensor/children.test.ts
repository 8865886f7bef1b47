import { expect, test } from 'vitest';

import { NODES } from './helpers/dialogs.ts';
import { nodeBinary, program } from './helpers/packages.ts';
import { run, type Loading } from './helpers/run.ts';

const LOADINGS: readonly Loading[] = ['import', 'require', 'NODE_OPTIONS'];

test.each(NODES.flatMap((major) => LOADINGS.map((loading) => [major, loading] as const)))(
  'Node %i by %s: every child process and thread has the sensor',
  async (major, loading) => {
    const node = await nodeBinary(major);
    const ran = await run([await program('v1', 'children.mjs')], { node, loading, policy: { js_sensor: {} } });
    expect({ code: ran.exitCode, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
    const found = Object.entries(JSON.parse(ran.stdout) as Record<string, string>);
    expect(found).toHaveLength(16);
    expect(found.filter(([, has]) => has !== 'true')).toEqual([]);
  },
);

test('a program without a policy is left alone, children included', async () => {
  const ran = await run([await program('v1', 'children.mjs')], { env: { UCP_POLICY_FILE: '' } });
  const found = Object.entries(JSON.parse(ran.stdout) as Record<string, string>);
  expect(ran.lines).toEqual([]);
  expect(found.filter(([name]) => name.startsWith('spawn')).map(([, has]) => has)).not.toContain('true');
});

test('UCP_REQUIRE=1 without a policy: the program does not run', async () => {
  const ran = await run(['-e', 'console.log("ran")'], { env: { UCP_REQUIRE: '1' } });
  expect(ran).toMatchObject({ exitCode: 125, stdout: '' });
  expect(ran.stderr).toMatch(
    /^ucp: UCP_REQUIRE=1, but .*policy\.json: the file cannot be read; the program was not started\.\n$/,
  );
});
