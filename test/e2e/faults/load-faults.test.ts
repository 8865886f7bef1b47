import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';

import { busybox } from '../../images/index.ts';
import { until } from '../helpers/docker.ts';
import { verifies } from '../helpers/verifies.ts';
import { type Bucket, bucketShelf } from './helpers/shelf.ts';
import { type InForce, Site, type SiteOptions } from './helpers/site.ts';

/** Every step of a load that leaves something behind, in order; what each is: helpers/die-at.ts. */
const ALL_POINTS = [
  'before event policy_download_attempt',
  'after event policy_download_attempt',
  'before event policy_download_started',
  'after event policy_download_started',
  // Downloaded.
  'before event policy_download_completed',
  'after event policy_download_completed',
  'before verify',
  'after verify',
  // Validated; the generation is given out.
  'before write memory.json',
  'after write memory.json',
  'before rename memory.json',
  'after rename memory.json',
  // Applied to the sandbox.
  'after write policy.json',
  'before rename policy.json',
  'after rename policy.json',
  // The original bytes are persisted.
  'before write active.json',
  'after write active.json',
  'before rename active.json',
  'after rename active.json',
  'before event policy_download_success',
  'after event policy_download_success',
  // The highest version is remembered.
  'after write memory.json 2',
  'before rename memory.json 2',
  'after rename memory.json 2',
  'before event policy_applied',
  'after event policy_applied',
];

const FULL = process.env['UCP_FULL'] === '1';
/** Before a step there is what there was after the one before it: one of the two, or both with UCP_FULL=1. */
const POINTS = ALL_POINTS.filter((point, index) => FULL || index === 0 || point.startsWith('after '));

/** A body of which only half has come when the process dies. */
const HALF = 'half of the policy';
/** What a bucket adds to these is the way to it; all of the points with UCP_FULL=1. */
const OF_BUCKETS = FULL
  ? POINTS
  : ['after event policy_download_started', 'before rename active.json', 'after event policy_download_success'];

describe.each([
  ['a directory', POINTS],
  ['a bucket', [HALF, ...OF_BUCKETS]],
])('a control plane that is killed while it loads a policy from %s', (from, points) => {
  let site: Site;
  let last: InForce;
  let bucket: Bucket | undefined;
  const acknowledged: string[] = [];
  beforeAll(async () => {
    const options: SiteOptions = { shelf: async (host) => (bucket = await bucketShelf(host)) };
    site = await Site.open(from === 'a bucket' ? options : {});
    last = await site.agreed();
    await site.stop();
  });
  afterEach(() => site.stop());
  afterAll(() => site.close());

  /** Numbers never go back, and one number means one policy. */
  function follows(now: InForce): InForce {
    expect(now.generation).toBeGreaterThanOrEqual(last.generation);
    if (now.generation === last.generation) expect(now).toEqual(last);
    last = now;
    return now;
  }

  /** The bucket answers with half a policy, and the control plane dies of it. */
  function cutIn(dying: ChildProcess): void {
    bucket?.front.fault('/policy.json', (response) => {
      response.writeHead(200, { etag: '"half"', 'content-length': '1000' });
      response.write('{"policy_id":', () => dying.kill('SIGKILL'));
    });
    dying.once('exit', () => bucket?.front.fault('/policy.json', undefined));
  }

  for (const point of points) {
    verifies(['PL-06', 'LC-05'], `has one policy or the other at its next start: ${point}`, async () => {
      const old = site.version;
      const dying = await site.dying(point);
      follows(await site.agreed());
      acknowledged.push(await site.violate());
      await site.publish();
      await site.arm(dying);
      if (point === HALF) cutIn(dying);
      const ended = once(dying, 'exit');
      expect(await site.sync()).toBeUndefined();
      expect(await ended).toEqual([null, 'SIGKILL']);
      expect([old, old + 1]).toContain(follows(site.sensors()).version);

      site.hide(true);
      const { policy, startup_state } = await site.status();
      expect([policy.source, startup_state]).toEqual(['service', 'WarmStartup']);
      expect([old, old + 1]).toContain(policy.version);
      expect(follows(await site.agreed()).digest).toBe(policy.digest);
      site.hide(false);
      await site.sync();
      expect(follows(await site.agreed()).version).toBe(old + 1);
    });
  }

  verifies(['LC-05'], 'has lost no acknowledged violation, and runs sandboxes', async () => {
    site.receiver.decide(() => undefined);
    expect(await site.host.sandbox(['run', await busybox(), 'echo', 'ran'])).toMatchObject({ stdout: 'ran\n' });
    const arrived = (): Set<unknown> =>
      new Set(site.receiver.records().map(({ attributes }) => attributes['log.record.uid']));
    await until('all violations', () => acknowledged.every((id) => arrived().has(id)), 60_000);
    expect(acknowledged).toHaveLength(points.length);
  });
});
