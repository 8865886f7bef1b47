import { readFileSync, writeFileSync } from 'node:fs';

import { expect, vi } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import { ground } from './helpers/ground.ts';
import { runAll, Site } from './helpers/site.ts';

const FULL = process.env['UCP_FULL'] === '1';
const COUNT = FULL ? 100 : 4;
if (FULL) vi.setConfig({ testTimeout: 1_800_000 });
/** Started at a time. */
const AT_ONCE = 4;
const LIMIT = '/proc/sys/fs/fanotify/max_user_groups';
/** What a kernel begins with: it makes 63 sandboxes. */
const USUAL = 128;

const limit = (): number => Number(readFileSync(LIMIT, 'utf8'));

verifies(['EX-15'], `${COUNT} sandboxes at once are all judged`, async () => {
  await using site = await Site.open(FULL ? 'docker-user' : 'root');
  const before = limit();
  if (FULL) writeFileSync(LIMIT, String(USUAL));
  const image = await ground();
  const policy = await site.policy({ remediate: true, deny_list: ['/opt/denied/*'] });
  const names: string[] = [];
  try {
    while (names.length < COUNT) {
      names.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => site.start(image, policy)))));
    }
    for (const name of names) {
      expect(await runAll(name, ['/opt/allowed', '$D/later'])).toEqual(['runs', 'stopped']);
    }
    // Two groups each: the helper has raised what was not enough.
    if (FULL) expect(limit()).toBeGreaterThanOrEqual(2 * COUNT);
  } finally {
    while (names.length > 0) await Promise.all(names.splice(0, AT_ONCE).map((name) => site.remove(name)));
    if (limit() < before) writeFileSync(LIMIT, String(before));
  }
});
