import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, vi } from 'vitest';

import { docker, until } from '../helpers/docker.ts';
import { verifies } from '../helpers/verifies.ts';
import { ground } from './helpers/ground.ts';
import { childrenOf, containerOf, groupsOf, kernelOf, kill, killControlPlane, mainOf } from './helpers/processes.ts';
import { runAll, Site, type Who } from './helpers/site.ts';
import { Storm } from './helpers/storm.ts';

const FULL = process.env['UCP_FULL'] === '1';
const KILLS = FULL ? 50 : 5;
/** Each takes a start of the control plane. */
const RESTARTS = FULL ? 50 : 2;
/** Of each way to end a helper whole. */
const WHOLE_KILLS = FULL ? 50 : 1;
if (FULL) vi.setConfig({ testTimeout: 1_800_000 });
const BOTH: readonly Who[] = ['root', 'docker-user'];
const ENFORCE = { remediate: true, deny_list: ['/opt/denied/*'] };
/** Events that a helper had read when all of it was killed are answered by none: so many execs fail at most. */
const IN_HAND = 16;

/** Ways in which nothing of `ucp-kernel` is left; those of the engine only where it is a container. */
const WHOLE: readonly (readonly [string, readonly Who[], (site: Site, who: Who) => Promise<void>])[] = [
  ['its keeper is killed', BOTH, async (site, who) => kill((await kernelOf(site, who)).keeper)],
  [
    'its keeper and its decider are killed at once',
    BOTH,
    async (site, who) => {
      const { keeper, decider } = await kernelOf(site, who);
      kill(decider, keeper);
    },
  ],
  ...(['kill', 'restart -t 0', 'rm -f'] as const).map(
    (command) =>
      [
        `its container meets \`docker ${command}\``,
        ['docker-user'],
        async (site: Site) => void (await docker(...command.split(' '), await containerOf(site, 'ucp-kernel'))),
      ] as const,
  ),
  [
    'the one that holds what waits is killed, and it is killed once there is another one',
    BOTH,
    async (site, who) => {
      const before = await mainOf(site, who, 'ucp-hold');
      kill(before);
      await until('another holder has it', async () => {
        const now = await mainOf(site, who, 'ucp-hold');
        return now !== before && groupsOf(now) === 2;
      });
      const { keeper, decider } = await kernelOf(site, who);
      kill(decider, keeper);
    },
  ],
];

describe.each(['root', 'docker-user'] as const)('a storm of execs, as %s', (who) => {
  let site: Site;
  let storm: Storm;
  /** Under a policy that only observes, at the same helper: nothing that happens may cost it an exec. */
  let observed: Storm;

  beforeAll(async () => {
    site = await Site.open(who);
    const image = await ground();
    storm = await Storm.start(site, image, await site.policy(ENFORCE));
    observed = await Storm.start(site, image, await site.policy({ ...ENFORCE, remediate: false }), 1);
    await storm.goesOn();
  });
  afterAll(async () => {
    await storm.end();
    await observed.end();
    await site[Symbol.asyncDispose]();
  });

  /** Denied programs run where that is only observed, and nothing is refused there, now or before. */
  const observesOnly = async (): Promise<void> => {
    const { denied } = observed;
    await observed.goesOn();
    expect(observed.denied).toBeGreaterThan(denied);
    expect([observed.refused('denied'), observed.refused('allowed')]).toEqual([0, 0]);
  };

  verifies(['EX-23'], 'no denied one runs when who decides is killed, and allowed ones go on', async () => {
    for (let round = 0; round < KILLS; round += 1) {
      kill((await kernelOf(site, who)).decider);
      await storm.goesOn();
      await observesOnly();
    }
    expect([storm.denied, storm.refused('allowed')]).toEqual([0, 0]);
    expect(storm.refused('denied')).toBeGreaterThan(0);
  });

  verifies(['EX-23', 'CP-03'], 'nor when the control plane is killed', async () => {
    for (let round = 0; round < RESTARTS; round += 1) {
      await killControlPlane(site);
      await storm.goesOn();
      await observesOnly();
      expect((await site.run('ucp-sandbox', ['ps'])).stdout).toContain(storm.name);
    }
    await storm.goesOn();
    expect([storm.denied, storm.refused('allowed')]).toEqual([0, 0]);
  });

  describe.each(WHOLE.filter(([, whose]) => whose.includes(who)))('when %s', (_, __, end) => {
    verifies(['EX-23'], 'what is asked waits for the next one', async () => {
      const before = storm.refused('allowed');
      for (let round = 0; round < WHOLE_KILLS; round += 1) {
        const { keeper } = await kernelOf(site, who);
        await end(site, who);
        await observesOnly();
        await until('another one', async () => (await kernelOf(site, who)).keeper !== keeper);
        await storm.goesOn();
        await observesOnly();
      }
      expect(storm.denied).toBe(0);
      expect(storm.refused('allowed') - before).toBeLessThanOrEqual(IN_HAND * WHOLE_KILLS);
      expect(await runAll(storm.name, ['/opt/allowed', '$D/later'])).toEqual(['runs', 'stopped']);
    });
  });

  verifies(['EX-23', 'CP-03'], 'without a control plane what is asked waits until there is one', async () => {
    const { keeper, decider } = await kernelOf(site, who);
    await killControlPlane(site);
    kill(decider, keeper);
    await until('it is dead', () => childrenOf(keeper).length === 0);
    await storm.waits();
    await observesOnly();
    expect(storm.denied).toBe(0);
    expect((await site.run('ucp-sandbox', ['ps'])).stdout).toContain(storm.name);
    await storm.goesOn();
    expect(storm.denied).toBe(0);
  });

  // What shows that the witness sees a denied exec that runs; and the limit that the documents name.
  verifies(
    ['EX-23'],
    'only where the holder dies with it, denied ones run until there is a control plane',
    async () => {
      const { keeper, decider } = await kernelOf(site, who);
      await killControlPlane(site);
      kill(await mainOf(site, who, 'ucp-hold'), decider, keeper);
      await until('denied programs run', () => storm.denied > 0);
      expect((await site.run('ucp-sandbox', ['ps'])).stdout).toContain(storm.name);
      await until('enforced again', async () => {
        const before = storm.denied;
        await storm.goesOn();
        return storm.denied === before;
      });
      expect(await runAll(storm.name, ['/opt/allowed', '$D/later'])).toEqual(['runs', 'stopped']);
    },
  );
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
