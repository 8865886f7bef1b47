import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import { until } from '../helpers/docker.ts';
import { ATTACKS, DENIED } from './attacks.ts';
import { ground } from './helpers/ground.ts';
import { type LoggedEvent, type Result, runAll, Site } from './helpers/site.ts';

const CASES = (['root', 'docker-user'] as const).flatMap((who) =>
  (['enforced', 'observed'] as const).map((mode) => ({ who, mode })),
);

describe.each(CASES)('the catalogue of bypasses for $who, rules $mode', ({ who, mode }) => {
  let site: Site;
  let attacks: readonly Result[];
  let controls: readonly Result[];
  let events: readonly LoggedEvent[];
  const remediate = mode === 'enforced';

  beforeAll(async () => {
    site = await Site.open(who);
    const volume = join(site.dir, 'volume');
    mkdirSync(volume);
    chmodSync(volume, 0o777);
    const mounts = ['--tmpfs', '/scratch:exec', '-v', `${volume}:/volume:rw`];
    const policy = await site.policy({ remediate, deny_list: DENIED });
    const name = await site.start(await ground(), [...policy, ...mounts]);
    controls = await runAll(
      name,
      ATTACKS.map(({ control }) => control ?? '/opt/allowed'),
    );
    attacks = await runAll(
      name,
      ATTACKS.map(({ script }) => script),
    );
    await site.remove(name);
    await until('an event', async () => (events = await site.violations()).length > 0);
  });
  afterAll(() => site[Symbol.asyncDispose]());

  verifies(
    [
      'EX-01',
      'EX-02',
      'EX-03',
      'EX-04',
      'EX-06',
      'EX-07',
      'EX-09',
      'EX-10',
      'EX-11',
      'EX-12',
      'EX-13',
      'EX-14',
      'EX-16',
      'EX-17',
      'EX-18',
      'EX-21',
      'FS-08',
      'PL-08',
    ],
    'each attack comes to what docs/security/bypass.md says, beside what must work',
    () => {
      const told = ATTACKS.map(({ id, what }, at) => ({ id, what, control: controls[at], attack: attacks[at] }));
      expect(told).toEqual(
        ATTACKS.map((attack) => ({ id: attack.id, what: attack.what, control: 'runs', attack: attack[mode] })),
      );
    },
  );

  verifies(['EX-01', 'EV-02'], 'what the rules met is told, with rule and outcome', () => {
    const expected = {
      severity: remediate ? 'ERROR' : 'WARN',
      violation: { action: remediate ? 'blocked' : 'allowed' },
    };
    for (const path of ['/opt/denied/plain', '/opt/denied/symlink', '/tmp/hard']) {
      expect(events.find(({ body }) => body['path'] === path)).toMatchObject({
        ...expected,
        violation: { ...expected.violation, rule: '/exec/deny_list/0' },
      });
    }
    expect(events.every(({ severity }) => severity === expected.severity)).toBe(true);
  });
});
