import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect } from 'vitest';

import { docker } from '../helpers/docker.ts';
import { TestHost } from '../helpers/host.ts';
import { verifies } from '../helpers/verifies.ts';

interface Check {
  readonly id: string;
  readonly state: string;
  readonly reason: string;
}

describe('doctor', () => {
  let host: TestHost;

  beforeAll(() => {
    host = new TestHost();
  });
  afterAll(() => host[Symbol.asyncDispose]());

  verifies(['WR-06'], 'tells what is right and what is not, and of servers that bypass the sandbox', async () => {
    writeFileSync(host.path('.claude.json'), '{ "mcpServers": { "raw": { "command": "npx", "args": ["x"] } } }');
    const { stdout } = await host.sandbox(['doctor', '--json'], { cwd: host.dir });
    const checks = JSON.parse(stdout) as readonly Check[];
    const states = Object.fromEntries(checks.map(({ id, state }) => [id, state]));
    expect(states).toMatchObject({ engine: 'ok', kernel: 'ok', seccomp: 'ok', 'control plane': 'ok', policy: 'ok' });
    expect(checks).toContainEqual(
      expect.objectContaining({ id: 'client claude-code', state: 'warn', reason: expect.stringContaining('raw') }),
    );
    const tried = ['ucp-kernel', 'ucp-hold', 'ucp-net', 'ucp-trace'].flatMap((program) =>
      ['process', 'container'].map((as) => `${program} as ${as}`),
    );
    expect(tried.map((id) => [id, states[id]])).toEqual(tried.map((id) => [id, 'ok']));
    expect(states['dns']).toMatch(/^(?:ok|warn)$/);
    // Nothing stays of what was started for it.
    const owner = readFileSync(host.path('s/owner'), 'utf8');
    expect((await docker('ps', '-aq', '--filter', `label=ucp.owner=${owner}-trial`)).stdout).toBe('');
    expect(readdirSync(host.path('s')).filter((name) => /^t[0-9a-f]{4}$/.test(name))).toEqual([]);
  });

  verifies(['WR-06'], 'fails by name and with the fix where there is no engine', async () => {
    const env = { DOCKER_HOST: 'unix:///nonexistent/docker.sock' };
    const broken = await host.sandbox(['doctor'], { cwd: host.dir, env });
    expect(broken).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(/^fail +engine +ENGINE_UNREACHABLE/m) });
    expect(broken.stdout).toMatch(/^→ engine: /m);
  });
});
