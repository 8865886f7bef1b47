import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../core/json.ts';
import { inspectPolicy } from '../parse/parse-policy.ts';
import { normalise } from './normalise.ts';

const inspect = (document: JsonObject) =>
  inspectPolicy(new TextEncoder().encode(JSON.stringify({ policy_id: 'a', version: 1, ...document })));
const problems = (document: JsonObject) => inspect(document).problems.map(({ code, pointer }) => `${code} ${pointer}`);

/** The exec section that `explicit_deny_list` makes of one entry. */
const exec = (denies: boolean) =>
  inspect({ exec: { enable: true, remediate: true, explicit_deny_list: denies, match_list: ['/usr/bin/date'] } }).policy
    ?.exec;

/** The template of the `brace` layout as published. */
const brace = {
  exec: { enable: false, remediate: false, explicit_deny_list: false, match_list: [] },
  options: {
    bind_mount: { enable: false, mount_proc: true, mounts: [] },
    user: '',
    pid_ns: true,
    user_ns: false,
    allow_privileged: false,
  },
  network: { enable: false, general: { bridge: 'br0', gateway: '10.0.0.1' }, firewall: {} },
};

describe('layouts', () => {
  test('the canonical one comes back as it is, and nothing was decided', () => {
    const document = { policy_id: 'a', exec: { deny_list: ['/a'] }, network: { general: { egress: [] } }, 'x-a': 1 };
    const normalised = normalise(document);
    expect(normalised.canonical).toBe(document);
    expect(normalised.decisions).toEqual([]);
  });

  test('the published brace template becomes a valid canonical policy', () => {
    expect(inspect({ brace }).policy).toEqual({
      policy_id: 'a',
      version: 1,
      exec: { enable: false, remediate: false, allow_list: [] },
      options: {
        enable: true,
        remediate: true,
        user: '',
        allow_privileged: false,
        namespaces: { pid: true, user: false },
        volumes: { allow_list: [] },
      },
    });
  });

  test('the same sections at the top mean the same', () => {
    expect(inspect(brace).policy).toEqual(inspect({ brace }).policy);
  });

  test('explicit_deny_list says whether match_list denies or allows', () => {
    expect(exec(true)).toEqual({ enable: true, remediate: true, deny_list: ['/usr/bin/date'] });
    expect(exec(false)).toEqual({ enable: true, remediate: true, allow_list: ['/usr/bin/date'] });
  });

  test('the flat layout’s mcp holds for both app sensors', () => {
    const mcp = { enable: true, remediate: true, http_servers: { force_authentication: true } };
    expect(inspect({ mcp }).policy).toMatchObject({ js_sensor: { mcp }, python_sensor: { mcp } });
  });

  test('mounts are what may be mounted, read-only unless they say rw; their paths are no globs', () => {
    const bind_mount = { enable: true, mount_proc: true, mounts: ['/srv/data:/data', '/srv/w[1]:/w:rw', '/etc/ssl'] };
    expect(inspect({ options: { bind_mount } }).policy?.options?.volumes).toEqual({
      allow_list: ['/srv/data', String.raw`/srv/w\[1\]`, '/etc/ssl'],
      writable: [String.raw`/srv/w\[1\]`],
    });
  });

  test('every decision names what it read, what it wrote and why', () => {
    expect(inspect({ exec: brace.exec }).decisions).toEqual([
      {
        from: '/exec/match_list',
        to: '/exec/allow_list',
        reason: 'explicit_deny_list is false: only the list is allowed',
      },
      { from: '/exec/explicit_deny_list', reason: "said by the list's name" },
    ]);
  });

  test('problems are reported where the author wrote them, once', () => {
    expect(problems({ mcp: { remediat: true }, brace: { exec: { ...brace.exec, match_list: ['date'] } } })).toEqual([
      'POLICY_UNKNOWN_KEY /mcp/remediat',
      'POLICY_GLOB /brace/exec/match_list/0',
    ]);
  });
});

describe('what could mean two things is an error', () => {
  test.each<[string, JsonObject, string[]]>([
    [
      'brace.exec beside exec',
      { brace: { exec: brace.exec }, exec: { deny_list: [] } },
      ['POLICY_LAYOUT_AMBIGUOUS /brace/exec'],
    ],
    ['mcp beside js_sensor.mcp', { mcp: {}, js_sensor: { mcp: {} } }, ['POLICY_LAYOUT_AMBIGUOUS /mcp']],
    [
      'match_list beside deny_list',
      { exec: { match_list: [], explicit_deny_list: true, deny_list: [] } },
      ['POLICY_LAYOUT_AMBIGUOUS /exec/match_list'],
    ],
    ['match_list alone', { exec: { match_list: ['/a'] } }, ['POLICY_LAYOUT_AMBIGUOUS /exec/match_list']],
    [
      'explicit_deny_list alone',
      { exec: { explicit_deny_list: true } },
      ['POLICY_LAYOUT_AMBIGUOUS /exec/explicit_deny_list'],
    ],
    [
      'pid_ns beside namespaces.pid',
      { options: { pid_ns: true, namespaces: { pid: false } } },
      ['POLICY_LAYOUT_AMBIGUOUS /options/pid_ns'],
    ],
    [
      'bind_mount beside volumes',
      { options: { bind_mount: { enable: true }, volumes: {} } },
      ['POLICY_LAYOUT_AMBIGUOUS /options/bind_mount'],
    ],
    [
      'bind_mount without enable',
      { options: { bind_mount: { mounts: [] } } },
      ['POLICY_LAYOUT_AMBIGUOUS /options/bind_mount'],
    ],
    [
      'an enabled network with an empty firewall',
      { network: { enable: true, firewall: {} } },
      ['POLICY_LAYOUT_AMBIGUOUS /network'],
    ],
    [
      'a configuration beside a bridge',
      { network: { enable: false, web: {} } },
      ['POLICY_LAYOUT_AMBIGUOUS /network/web'],
    ],
    [
      'firewall rules',
      { network: { enable: true, firewall: { a: 1 } } },
      ['POLICY_LAYOUT_UNSUPPORTED /network/firewall'],
    ],
    [
      'no /proc',
      { options: { bind_mount: { enable: false, mount_proc: false } } },
      ['POLICY_LAYOUT_UNSUPPORTED /options/bind_mount/mount_proc'],
    ],
    [
      'a mount of another form',
      { options: { bind_mount: { enable: true, mounts: [{ a: 1 }] } } },
      ['POLICY_LAYOUT_UNSUPPORTED /options/bind_mount/mounts/0'],
    ],
    [
      'a privileged sandbox',
      { brace: { options: { ...brace.options, allow_privileged: true } } },
      ['POLICY_VALUE /brace/options/allow_privileged'],
    ],
  ])('%s', (_, document, expected) => {
    expect(problems(document)).toEqual(expected);
  });
});
