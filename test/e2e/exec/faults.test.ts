import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect } from 'vitest';

import { docker, until } from '../helpers/docker.ts';
import { verifies } from '../helpers/verifies.ts';
import { ground } from './helpers/ground.ts';
import { Site, type Who } from './helpers/site.ts';
import { Storm } from './helpers/storm.ts';

const FULL = process.env['UCP_FULL'] === '1';
const KILLS = FULL ? 50 : 5;
/** Each takes a start of the control plane. */
const RESTARTS = FULL ? 50 : 2;
const ENFORCE = { remediate: true, deny_list: ['/opt/denied/*'] };

/** The helper that a site's control plane started: the keeper and, of its children, the one that decides. */
async function helperOf(site: Site, who: Who): Promise<{ keeper: number; decider: number }> {
  let keeper = 0;
  let deciders: readonly number[] = [];
  await until('a helper with a decider', async () => {
    keeper = who === 'root' ? ownKeeper(site) : await containerKeeper(site);
    deciders = childrenOf(keeper);
    return deciders.length === 1;
  });
  return { keeper, decider: deciders[0] ?? 0 };
}

function ownKeeper(site: Site): number {
  const { pid } = JSON.parse(readFileSync(join(site.dir, 's/helper/ucp-kernel.json'), 'utf8')) as { pid: number };
  return pid;
}

async function containerKeeper(site: Site): Promise<number> {
  const owner = readFileSync(join(site.dir, 's/owner'), 'utf8');
  const { stdout } = await docker('ps', '-q', '--filter', `label=ucp.owner=${owner}`, '--filter', 'label=ucp.helper');
  const { stdout: pid } = await docker('inspect', '-f', '{{.State.Pid}}', stdout);
  return Number(pid);
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

describe.each(['root', 'docker-user'] as const)('a storm of execs, as %s', (who) => {
  let site: Site;
  let storm: Storm;

  beforeAll(async () => {
    site = await Site.open(who);
    storm = await Storm.start(site, await ground(), await site.policy(ENFORCE));
    await storm.goesOn();
  });
  afterAll(async () => {
    await storm.end();
    await site[Symbol.asyncDispose]();
  });

  verifies(['EX-23'], 'no denied one runs when who decides is killed, and allowed ones go on', async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const { decider } = await helperOf(site, who);
      process.kill(decider, 'SIGKILL');
      await storm.goesOn();
    }
    expect(storm.denied).toBe(0);
  });

  verifies(['EX-23', 'CP-03'], 'nor when the control plane is killed', async () => {
    for (let kill = 0; kill < RESTARTS; kill += 1) {
      const { stdout } = await site.run('ucpd', ['status', '--json']);
      process.kill((JSON.parse(stdout) as { pid: number }).pid, 'SIGKILL');
      await storm.goesOn();
      expect((await site.run('ucp-sandbox', ['ps'])).stdout).toContain(storm.name);
    }
    await storm.goesOn();
    expect(storm.denied).toBe(0);
  });

  verifies(['EX-23'], 'a helper that is killed whole is back by itself, with all rules', async () => {
    const { keeper, decider } = await helperOf(site, who);
    process.kill(keeper, 'SIGKILL');
    process.kill(decider, 'SIGKILL');
    await until('enforced again', async () => {
      const before = storm.denied;
      await storm.goesOn();
      return storm.denied === before && (await helperOf(site, who)).keeper !== keeper;
    });
    const settled = storm.denied;
    await storm.goesOn();
    expect(storm.denied).toBe(settled);
  });
});

describe('a policy that changes under a storm of execs', () => {
  let site: Site;
  let storm: Storm;
  let version = 0;

  beforeAll(async () => {
    site = await Site.open('root');
    mkdirSync(join(site.dir, 'bucket'));
    await write(ENFORCE);
    const config = [
      'event_format: OTEL',
      'event_url: http://127.0.0.1:9',
      'ucpcm:',
      `  policy_url: file://${site.dir}/bucket/`,
      '  policy: policy.json',
      '  policy_sig: policy.json.sig',
      `  public_key: file://${site.dir}/key.pub`,
      '  transport: { transport_type: file, auth_method: default }',
    ];
    writeFileSync(join(site.dir, 'config.yaml'), config.join('\n'));
    storm = await Storm.start(site, await ground(), []);
    await storm.goesOn();
  });
  afterAll(async () => {
    await storm.end();
    await site[Symbol.asyncDispose]();
  });

  const write = async (exec: object): Promise<void> => {
    version += 1;
    const path = join(site.dir, 'bucket/policy.json');
    writeFileSync(path, JSON.stringify({ policy_id: 'storm', version, exec }));
    await site.run('ucp-policy', ['sign', path, '--key', join(site.dir, 'key')]);
  };
  /** Resolves when the policy is in force in the sandbox. */
  const publish = async (exec: object): Promise<void> => {
    await write(exec);
    expect(await site.run('ucpd', ['sync', '--wait'])).toMatchObject({ exitCode: 0 });
  };

  verifies(['PL-09'], 'what both policies deny never runs, and what a policy allows does', async () => {
    for (let flip = 0; flip < (FULL ? 40 : 3); flip += 1) {
      await publish({ ...ENFORCE, deny_list: ['/opt/denied/*', `/opt/other-${flip}`] });
      await storm.goesOn();
    }
    expect(storm.denied).toBe(0);
    await publish({ ...ENFORCE, remediate: false });
    await until('observed only', () => storm.denied > 0);
    await publish(ENFORCE);
    const settled = storm.denied;
    await storm.goesOn();
    // One that was let go before the answer may end after it, in each loop.
    expect(storm.denied - settled).toBeLessThanOrEqual(3);
    const now = storm.denied;
    await storm.goesOn();
    expect(storm.denied).toBe(now);
  });

  verifies(['PL-09', 'PL-06'], 'a policy that one sandbox cannot take is put in force in none', async () => {
    await write({ ...ENFORCE, deny_list: Array.from({ length: 10_001 }, (_, at) => `/opt/none-${at}`) });
    const refused = await site.run('ucpd', ['sync', '--wait']);
    expect(refused.exitCode).not.toBe(0);
    expect(refused.stderr + refused.stdout).toMatch(/10000/);
    const before = storm.denied;
    await storm.goesOn();
    expect(storm.denied).toBe(before);
    await publish(ENFORCE);
  });
});
