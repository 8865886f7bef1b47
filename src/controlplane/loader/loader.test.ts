import { generateKeyPairSync, sign } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { UcpError } from '../../core/errors.ts';
import { silentLogger } from '../../core/ports.ts';
import { ManualClock } from '../../telemetry/testing/manual-clock.ts';
import type { LoadedPolicy } from '../policy/loaded-policy.ts';
import { builtInPolicy } from '../policy/policies.ts';
import type { PolicyPackage, PolicySource } from '../source/source.ts';
import { EventList } from '../testing/event-list.ts';
import { until } from '../testing/until.ts';
import { PolicyLoader } from './loader.ts';
import { PolicyStore } from './policy-store.ts';

const keys = generateKeyPairSync('ed25519');
const other = generateKeyPairSync('ed25519');
const pem = (pair: typeof keys): Buffer => Buffer.from(pair.publicKey.export({ type: 'spki', format: 'pem' }));

function signed(version: number, extra: object = {}, by = keys): PolicyPackage {
  const policy = Buffer.from(JSON.stringify({ policy_id: 'p', version, ...extra }));
  return { policy, signature: sign(null, policy, by.privateKey), publicKey: pem(keys) };
}

/** A source that a test changes. */
class FakeSource implements PolicySource {
  readonly name = 'fake';
  etag = '1';
  content: PolicyPackage | UcpError = signed(1);
  unreachable: UcpError | undefined;
  fetches = 0;

  put(etag: string, content: PolicyPackage | UcpError): void {
    this.etag = etag;
    this.content = content;
  }

  async check(known: string | undefined) {
    if (this.unreachable !== undefined) throw this.unreachable;
    if (known === this.etag) return { newer: false } as const;
    const fetch = async (): Promise<PolicyPackage> => {
      this.fetches += 1;
      if (this.content instanceof UcpError) throw this.content;
      return this.content;
    };
    return { newer: true, etag: this.etag, fetch } as const;
  }
}

let dir: string;
let source: FakeSource;
let events: EventList;
let clock: ManualClock;
let applied: LoadedPolicy[];
let refuses: UcpError | undefined;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cp-loader-'));
  source = new FakeSource();
  events = new EventList();
  clock = new ManualClock();
  applied = [];
  refuses = undefined;
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** A control plane's start. */
async function started(pin?: string): Promise<PolicyLoader> {
  events = new EventList();
  const loader = new PolicyLoader({
    source,
    store: new PolicyStore(dir, silentLogger),
    builtIn: builtInPolicy(Buffer.from('{"policy_id":"default","version":0}')),
    clock,
    events,
    logger: silentLogger,
    pin,
    maxBytes: 1_000_000,
    interval: 300,
    apply: async (policy) => {
      if (refuses !== undefined) throw refuses;
      applied.push(policy);
    },
  });
  await loader.start();
  return loader;
}

/** Lets a pause of the loader pass. */
async function pause(ms: number): Promise<void> {
  await until(`pause of ${ms}`, () => clock.next === ms);
  clock.advance(ms);
}

const START = 'policy_applied';
const DOWNLOAD = ['policy_download_attempt', 'policy_download_started', 'policy_download_completed'];
const LOADED = [...DOWNLOAD, 'policy_download_success', 'policy_applied'];

describe('EV-01: the events of a load', () => {
  test('are attempt, started, completed, success, with the specified fields', async () => {
    const loader = await started();
    await expect(loader.check()).resolves.toEqual({ outcome: 'activated' });
    expect(events.actions).toEqual([START, ...LOADED]);
    const bodies = events.events.slice(1, 5).map(({ body }) => body);
    const startup_state = 'ColdStartup';
    expect(bodies).toEqual([
      { action: 'policy_download_attempt', delay: 300, error: null, startup_state },
      { action: 'policy_download_started', startup_state },
      { action: 'policy_download_completed', error: null, startup_state },
      { action: 'policy_download_success', delay: 300, error: null, startup_state },
    ]);
    expect(events.events.every(({ severity, domain }) => severity === 'INFO' && domain === 'pcm')).toBe(true);
    expect(events.events.at(-1)?.body).toMatchObject({ size: 29, generation: 2, source: 'service' });
  });

  test('end after the attempt when nothing is newer', async () => {
    const loader = await started();
    await loader.check();
    events.events.length = 0;
    await expect(loader.check()).resolves.toEqual({ outcome: 'unchanged' });
    expect(events.actions).toEqual(['policy_download_attempt']);
  });

  test('carry what failed: the check in attempt, the download in completed', async () => {
    const loader = await started();
    source.unreachable = new UcpError('POLICY_SOURCE_UNREACHABLE', 'no route');
    await loader.check();
    source.unreachable = undefined;
    source.put('2', new UcpError('POLICY_SOURCE_MISSING', 'no signature'));
    await loader.check();
    expect(events.events.slice(1).map(({ body }) => [body['action'], body['error']])).toEqual([
      ['policy_download_attempt', { code: 'POLICY_SOURCE_UNREACHABLE', message: 'no route', retryable: true }],
      ['policy_download_attempt', null],
      ['policy_download_started', undefined],
      ['policy_download_completed', { code: 'POLICY_SOURCE_MISSING', message: 'no signature', retryable: true }],
    ]);
    expect(loader.state).toEqual({ inForce: 'default', candidate: 'none' });
  });
});

describe('a bad candidate', () => {
  test.each<[string, PolicyPackage, string]>([
    ['an unknown key in the document', signed(2, { exce: {} }), 'POLICY_INVALID'],
    ['an older version', signed(0), 'POLICY_ROLLBACK'],
    ['other bytes of the same version', signed(1, { 'x-note': 'other' }), 'POLICY_ROLLBACK'],
  ])('is rejected and changes nothing: %s', async (_, candidate, code) => {
    const loader = await started();
    await loader.check();
    const before = loader.inForce;
    source.put('2', candidate);
    await expect(loader.check()).resolves.toMatchObject({ outcome: 'rejected', error: { code } });
    expect(loader.inForce).toBe(before);
    expect(loader.state).toEqual({ inForce: 'active', candidate: 'rejected' });
    expect(events.actions.at(-1)).toBe('policy_rejected');
    expect(events.events.at(-1)).toMatchObject({ severity: 'WARN', policy: { version: 1 } });
  });

  test('is not downloaded again until something changes, and a good one is then taken', async () => {
    const loader = await started();
    source.put('2', signed(2, { exce: {} }));
    await loader.check();
    await loader.check();
    expect(source.fetches).toBe(1);
    source.put('3', signed(3));
    await expect(loader.check()).resolves.toEqual({ outcome: 'activated' });
  });

  test('of a key that is not the pinned one is rejected at once', async () => {
    const loader = await started('0'.repeat(64));
    await expect(loader.check()).resolves.toMatchObject({ error: { code: 'POLICY_KEY_PIN_MISMATCH' } });
  });

  test('that a sensor refuses is rejected and tried again; its number means nothing else', async () => {
    const loader = await started();
    refuses = new UcpError('INTERNAL', 'sensor');
    await expect(loader.check()).resolves.toMatchObject({ outcome: 'rejected' });
    expect(loader.state.inForce).toBe('default');
    source.put('2', signed(2));
    await expect(loader.check()).resolves.toMatchObject({ outcome: 'rejected' });
    refuses = undefined;
    await expect(loader.check()).resolves.toEqual({ outcome: 'activated' });
    expect(loader.inForce.ref).toMatchObject({ version: 2, generation: 3 });
  });
});

describe('a policy seen between two PUTs', () => {
  test('is fetched again after 2, 4 and 8 s, and taken when its signature has come', async () => {
    const loader = await started();
    source.put('torn', signed(2, {}, other));
    const checked = loader.check();
    await pause(2_000);
    await pause(4_000);
    await until('third pause', () => clock.next === 8_000);
    source.put('whole', signed(2));
    clock.advance(8_000);
    await expect(checked).resolves.toEqual({ outcome: 'activated' });
    expect(events.actions).toEqual([START, ...LOADED]);
    await expect(loader.check()).resolves.toEqual({ outcome: 'unchanged' });
  });

  test('is rejected when the signature never fits', async () => {
    const loader = await started();
    source.put('torn', signed(2, {}, other));
    const checked = loader.check();
    for (const ms of [2_000, 4_000, 8_000]) await pause(ms);
    await expect(checked).resolves.toMatchObject({ error: { code: 'POLICY_SIGNATURE_INVALID' } });
    expect(loader.inForce.source).toBe('built-in');
  });
});

describe('a later start', () => {
  test('is warm: the persisted bytes are verified again, before any network', async () => {
    const first = await started();
    await first.check();
    source.unreachable = new UcpError('POLICY_SOURCE_UNREACHABLE', 'no route');
    const second = await started();
    expect(second.inForce.ref).toEqual(first.inForce.ref);
    expect([second.startupState, applied.length]).toEqual(['WarmStartup', 2]);
    await second.check();
    expect(events.events.at(-1)?.body).toMatchObject({ startup_state: 'WarmStartup' });
  });

  test('gives what it restores a new number where a newer policy had got one before the crash', async () => {
    const first = await started();
    await first.check();
    source.put('2', signed(2));
    const { generation } = first.inForce.ref;
    // The number is on disk and in a sandbox; then nothing more happened.
    new PolicyStore(dir, silentLogger).generationOf('sha256:of-version-2');
    const second = await started();
    expect(second.inForce.ref).toEqual({ ...first.inForce.ref, generation: generation + 2 });
    rmSync(join(dir, 'policy/memory.json'));
    const third = await started();
    expect(third.inForce.ref.generation).toBe(generation + 2);
    await third.check();
    expect(third.inForce.ref).toMatchObject({ version: 2, generation: generation + 3 });
  });

  test('does not download what is in force', async () => {
    await (await started()).check();
    await expect((await started()).check()).resolves.toEqual({ outcome: 'unchanged' });
    expect(source.fetches).toBe(1);
  });

  test('remembers the highest version, also when the persisted policy is lost', async () => {
    source.put('5', signed(5));
    await (await started()).check();
    rmSync(join(dir, 'policy/active.json'));
    const loader = await started();
    expect(loader.startupState).toBe('ColdStartup');
    source.put('4', signed(4));
    await expect(loader.check()).resolves.toMatchObject({ error: { code: 'POLICY_ROLLBACK' } });
  });

  test.each<[string, (text: string) => string]>([
    ['cut in half', (text) => text.slice(0, text.length / 2)],
    ['empty', () => ''],
    [
      'edited',
      (text) =>
        text.replace(
          /"policy":"[^"]*"/,
          `"policy":"${Buffer.from('{"policy_id":"p","version":9}').toString('base64')}"`,
        ),
    ],
    ['of another format', () => '{"format":2}'],
  ])('with a persisted policy that is %s uses the built-in default and lives', async (_, spoil) => {
    await (await started()).check();
    const path = join(dir, 'policy/active.json');
    writeFileSync(path, spoil(readFileSync(path, 'utf8')));
    const loader = await started();
    expect([loader.inForce.source, loader.startupState]).toEqual(['built-in', 'ColdStartup']);
    await expect(loader.check()).resolves.toEqual({ outcome: 'activated' });
  });

  test('goes on where the state directory can not be written', async () => {
    writeFileSync(join(dir, 'policy'), 'a file where the directory should be');
    const loader = await started();
    await expect(loader.check()).resolves.toEqual({ outcome: 'activated' });
    expect(loader.inForce.ref.version).toBe(1);
  });
});

test('checks that are asked for at once follow each other', async () => {
  const loader = await started();
  await expect(Promise.all([loader.check(), loader.check()])).resolves.toEqual([
    { outcome: 'activated' },
    { outcome: 'unchanged' },
  ]);
  expect(existsSync(join(dir, 'policy/active.json'))).toBe(true);
});
