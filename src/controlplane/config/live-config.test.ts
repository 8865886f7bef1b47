import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { silentLogger } from '../../core/ports.ts';
import { ManualClock } from '../../telemetry/testing/manual-clock.ts';
import { findInstall } from '../install.ts';
import type { LoadedPolicy } from '../policy/loaded-policy.ts';
import { type PolicyPart, startPolicyPart } from '../policy-part.ts';
import { EventList } from '../testing/event-list.ts';
import { LiveConfig } from './live-config.ts';
import { loadConfig } from './load-config.ts';
import type { Config } from './schema.ts';

const keys = generateKeyPairSync('ed25519');
const others = generateKeyPairSync('ed25519');

let dir: string;
let events: EventList;
let targets: unknown[];
let resolvers: Config['dns_servers'][];
let applied: LoadedPolicy[];
let part: PolicyPart;
let live: LiveConfig;

function configure(...lines: readonly string[]): void {
  writeFileSync(join(dir, 'config.yaml'), `${lines.join('\n')}\n`);
}

/** A directory of policies; its lines of the configuration. */
function directory(
  name: string,
  version: number,
  key: { privateKey: KeyObject; publicKey: KeyObject } = keys,
): string[] {
  const path = join(dir, name);
  mkdirSync(path);
  const policy = JSON.stringify({ policy_id: name, version });
  writeFileSync(join(path, 'policy.json'), policy);
  writeFileSync(join(path, 'policy.json.sig'), sign(null, Buffer.from(policy), key.privateKey));
  writeFileSync(join(path, 'key.pub'), key.publicKey.export({ type: 'spki', format: 'pem' }));
  const lines = [`policy_url: ${path}`, 'policy: policy.json', 'policy_sig: policy.json.sig'];
  return ['ucpcm:', ...[...lines, `public_key: ${path}/key.pub`].map((line) => `  ${line}`)];
}

async function start(): Promise<void> {
  const clock = new ManualClock();
  const access = { copy: undefined, endpoint: undefined, clock, logger: silentLogger };
  const read = () => loadConfig(join(dir, 'config.yaml'), true, access);
  const config = await read();
  part = startPolicyPart({
    config: config.config,
    stateDir: dir,
    install: findInstall(),
    onDemand: false,
    clock,
    events,
    logger: silentLogger,
    apply: async (policy) => void applied.push(policy),
  });
  const telemetry = {
    emit: (event: Parameters<EventList['emit']>[0]) => events.emit(event),
    setTarget: (target: unknown) => void targets.push(target),
  };
  const enforcement = { configure: ({ dns_servers }: Config) => void resolvers.push(dns_servers) };
  live = new LiveConfig({ config, read, policyPart: part, enforcement, telemetry, logger: silentLogger });
  await part.ready;
}

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cp-live-config-'));
  events = new EventList();
  targets = [];
  resolvers = [];
  applied = [];
});
afterEach(() => {
  part.poller.stop();
  rmSync(dir, { recursive: true, force: true });
});

describe('a configuration that is read again', () => {
  test('brings the policy of its source, events to its receiver, and names to their resolvers', async () => {
    configure(...directory('first', 1));
    await start();
    configure('event_url: http://127.0.0.1:4318', 'dns_servers: [192.0.2.1]', ...directory('second', 2));
    await expect(live.reload()).resolves.toEqual({ outcome: 'activated' });
    expect(part.loader.inForce.ref.policy_id).toBe('second');
    expect(targets).toEqual([{ eventUrl: 'http://127.0.0.1:4318' }]);
    expect(resolvers).toEqual([['192.0.2.1']]);
    expect(events.names).toContain('config_reloaded');
  });

  test('loads and reports nothing anew where only the receiver changed', async () => {
    const source = directory('first', 1);
    configure(...source);
    await start();
    events.events.length = 0;
    configure('event_url: http://127.0.0.1:1', ...source);
    await expect(live.reload()).resolves.toEqual({ outcome: 'unchanged' });
    expect(events.actions).toEqual(['policy_download_attempt']);
  });

  test.each([
    ['not YAML', '{'],
    ['not a configuration', 'event_urk: x'],
    ['empty of what it must have', 'ucpcm: {}'],
  ])('is not taken when it is %s: the old one goes on', async (_, text) => {
    configure(...directory('first', 1));
    await start();
    const before = live.loaded;
    configure(text);
    await expect(live.reload()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect([live.loaded, targets]).toEqual([before, []]);
    expect(part.loader.inForce.ref.policy_id).toBe('first');
    expect(events.events.at(-1)).toMatchObject({
      name: 'config_rejected',
      severity: 'WARN',
      body: { error: { code: 'CONFIG_INVALID' } },
    });
  });

  test('leaves the policy in force where its new source has none that is valid', async () => {
    configure(...directory('first', 1));
    await start();
    const pinned = [...directory('second', 2, others), `  public_key_sha256: ${'a'.repeat(64)}`];
    configure(...pinned);
    await expect(live.reload()).resolves.toMatchObject({ outcome: 'rejected' });
    expect(part.loader.inForce.ref.policy_id).toBe('first');
  });

  test('puts the built-in policy of its edition in force where no source is left', async () => {
    configure(...directory('first', 1));
    await start();
    configure('edition: full');
    await live.reload();
    expect([part.loader.state.inForce, applied.at(-1)?.source]).toEqual(['default', 'built-in']);
    const full = part.loader.inForce.ref;
    configure('edition: free');
    await live.reload();
    expect(part.loader.inForce.ref.generation).toBe(full.generation + 1);
    expect(part.loader.inForce.ref.digest).not.toBe(full.digest);
  });

  test('changes nothing where its built-in policy cannot be applied', async () => {
    configure('edition: free');
    await start();
    const { ref } = part.loader.inForce;
    applied.push = () => {
      throw new Error('no space');
    };
    configure('edition: full');
    await expect(live.reload()).rejects.toThrow('no space');
    expect([part.loader.inForce.ref, live.loaded.config.edition]).toEqual([ref, 'free']);
  });
});
