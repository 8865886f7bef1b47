import { expect } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import { program, type PackageSet } from './helpers/packages.ts';
import { run } from './helpers/run.ts';

const ERAS: readonly (readonly [string, PackageSet, string, readonly string[]])[] = [
  [
    'legacy',
    'v1',
    'sampled accept\n',
    ['client mcp_elicitation', 'client mcp_sampling', 'server mcp_elicitation', 'server mcp_sampling'],
  ],
  ['modern', 'v2', 'answered accept\n', ['client mcp_elicitation', 'server mcp_elicitation']],
];

for (const [era, set, said, told] of ERAS) {
  verifies(['MCP-08'], `${era}: what a server asks of a client is told on both sides, and answered`, async () => {
    const policy = { js_sensor: { remediate: true, mcp: { client: {}, server: {} } } };
    const ran = await run([await program(set, 'asks.mjs'), era], { policy });
    expect({ code: ran.exitCode, stdout: ran.stdout, stderr: ran.stderr }).toEqual({
      code: 0,
      stdout: said,
      stderr: '',
    });
    const asked = ran.lines.filter((line) => line.name === 'mcp_sampling' || line.name === 'mcp_elicitation');
    expect(asked.map((line) => `${line.body['side'] as string} ${line.name}`).toSorted()).toEqual(told);
  });
}
