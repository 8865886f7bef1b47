import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { parseSince } from './commands/logs.ts';
import type { UcpdHost } from './host.ts';
import { groupId, placesToFind, placesToRun } from './places.ts';
import { ucpd } from './program.ts';
import { parseRun } from './run-args.ts';

let dir: string;
let host: UcpdHost & { out: string };
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cp-cli-'));
  const written = { out: '' };
  const stdout = { write: (text: string) => (host.out += text) };
  const stderr = { write: () => undefined };
  host = { ...written, env: { UCP_STATE_DIR: dir }, home: dir, stdout, stderr, program: 'ucpd' };
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('ucpd run', () => {
  test('takes its flags in both forms', () => {
    expect(parseRun(['--config=/c', '--on-demand'])).toEqual({ config: '/c', onDemand: true });
    expect(parseRun(['--config', '/c'])).toEqual({ config: '/c', onDemand: false });
    expect(parseRun(['--help'])).toBeUndefined();
  });

  test.each([[['--confg', 'x']], [['extra']], [['--config']]])('refuses %j', (args) => {
    expect(() => parseRun(args)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});

/** A user with this environment. */
function bare(env: UcpdHost['env']): UcpdHost {
  return { ...host, env, home: '/home/u' };
}

describe('the place of a control plane', () => {
  test('is the service’s, the user’s on demand, or what the environment names', () => {
    expect(placesToRun(bare({}), false).socket).toBe('/run/ucp/ucpd.sock');
    expect(placesToRun(bare({}), true).stateDir).toBe('/home/u/.local/state/ucp');
    expect(placesToRun(bare({ UCP_STATE_DIR: '/s' }), false).socket).toBe('/s/ucpd.sock');
  });

  test('is what systemd says in the unit, each part of it moved by itself', () => {
    const unit = { RUNTIME_DIRECTORY: '/run/ucp', STATE_DIRECTORY: '/var/lib/ucp' };
    expect(placesToRun(bare(unit), false)).toEqual({
      socket: '/run/ucp/ucpd.sock',
      stateDir: '/var/lib/ucp',
      config: '/etc/ucp/config.yaml',
    });
    const moved = { ...unit, UCP_STATE_DIR: '/srv/ucp' };
    expect(placesToRun(bare(moved), false)).toMatchObject({ socket: '/run/ucp/ucpd.sock', stateDir: '/srv/ucp' });
    expect(placesToFind(bare(moved))).toEqual([placesToRun(bare(moved), false)]);
  });

  test('is looked for at the service first', () => {
    expect(placesToFind(bare({})).map(({ stateDir }) => stateDir)).toEqual([
      '/var/lib/ucp',
      '/home/u/.local/state/ucp',
    ]);
    expect(placesToFind(bare({ UCP_STATE_DIR: '/s' }))).toHaveLength(1);
  });

  test('may belong to a group', () => {
    expect([groupId('root'), groupId('no-such-group')]).toEqual([0, undefined]);
  });
});

describe('commands', () => {
  test('say where no control plane runs', async () => {
    await expect(ucpd(['status'], host)).rejects.toMatchObject({ code: 'CONTROLPLANE_UNREACHABLE' });
    await expect(ucpd(['sync'], host)).rejects.toMatchObject({ code: 'CONTROLPLANE_UNREACHABLE' });
    await expect(ucpd(['stop'], host)).resolves.toBe(0);
  });

  test('refuse what they do not know', async () => {
    await expect(ucpd(['statsu'], host)).rejects.toMatchObject({ code: 'USAGE' });
    await expect(ucpd(['status', '--jsno'], host)).rejects.toMatchObject({ code: 'USAGE' });
  });

  test('check a configuration, and keep header values to themselves', async () => {
    const path = join(dir, 'config.yaml');
    writeFileSync(path, 'event_url: http://127.0.0.1:4318\nevent_headers:\n  authorization: secret\n');
    await ucpd(['check-config', path, '--json'], host);
    expect(JSON.parse(host.out)).toMatchObject({ path, config: { event_headers: ['authorization'] } });
    expect(host.out).not.toContain('secret');
    writeFileSync(path, 'event_urk: x\n');
    await expect(ucpd(['check-config', path], host)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      details: { line: 1 },
    });
    await expect(ucpd(['check-config', `${path}.none`], host)).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
  });

  test('print the log of a control plane that is gone', async () => {
    mkdirSync(join(dir, 'log'));
    await expect(ucpd(['logs', '--json', '--since', '1h'], host)).resolves.toBe(0);
    await expect(ucpd(['logs', '--since', 'yesterday'], host)).rejects.toMatchObject({ code: 'USAGE' });
  });
});

test('--since takes spans and times', () => {
  const now = Date.UTC(2026, 0, 2);
  expect(['90s', '10m', '2h', '1d', '2026-01-01T00:00:00Z'].map((text) => now - parseSince(text, now))).toEqual([
    90_000, 600_000, 7_200_000, 86_400_000, 86_400_000,
  ]);
});
