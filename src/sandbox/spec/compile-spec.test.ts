import { describe, expect, test } from 'vitest';

import { compileSpec } from './compile-spec.ts';
import { imageOf, planOf, requestOf } from './fixtures.ts';

const engine = { recursiveReadOnly: false };

describe('the container spec', () => {
  test('of the plainest run', () => {
    expect(compileSpec(planOf(), requestOf(), imageOf(), engine).spec).toEqual({
      name: 'box',
      Image: 'sha256:image',
      Entrypoint: ['/.ucp/init'],
      Cmd: ['sh'],
      Env: ['UCP_SANDBOX_ID=abc123def456'],
      Labels: { 'ucp.sandbox': 'abc123def456' },
      ExposedPorts: {},
      Tty: false,
      OpenStdin: false,
      StdinOnce: false,
      AttachStdin: false,
      AttachStdout: true,
      AttachStderr: true,
      HostConfig: {
        Privileged: false,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges:true', 'seccomp={"defaultAction":"SCMP_ACT_ERRNO"}'],
        PidsLimit: 64,
        Memory: 1024,
        MemorySwap: 1024,
        NanoCpus: 1_500_000_000,
        Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }],
        PidMode: '',
        IpcMode: 'private',
        UTSMode: '',
        UsernsMode: '',
        NetworkMode: 'default',
        Mounts: [
          {
            Type: 'bind',
            Source: '/opt/ucp-init',
            Target: '/.ucp/init',
            ReadOnly: true,
            BindOptions: { Propagation: 'rprivate', NonRecursive: true },
          },
          {
            Type: 'bind',
            Source: '/state/sandboxes/abc/run',
            Target: '/.ucp/run',
            ReadOnly: true,
            BindOptions: { Propagation: 'rprivate', NonRecursive: true },
          },
        ],
        Tmpfs: {},
        PortBindings: {},
        Init: false,
        AutoRemove: false,
        RestartPolicy: { Name: 'no' },
      },
    });
  });

  test('of a run that uses every flag', () => {
    const request = requestOf({
      mode: 'detached',
      interactive: true,
      tty: true,
      workdir: '/w',
      hostname: 'h',
      platform: 'linux/arm64',
      stopTimeout: 7,
      restart: { name: 'on-failure', retries: 3 },
      network: 'mine',
      ports: [
        { address: '127.0.0.1', hostPort: 8080, containerPort: 80, protocol: 'tcp' },
        { address: '0.0.0.0', hostPort: 0, containerPort: 80, protocol: 'tcp' },
      ],
    });
    const plan = planOf({
      user: '1:2',
      mounts: [
        { type: 'bind', source: '/data', target: '/ro', readOnly: true },
        { type: 'bind', source: '/data', target: '/rw', readOnly: false },
        { type: 'volume', source: 'v', target: '/v', readOnly: true },
        { type: 'tmpfs', source: '', target: '/t', readOnly: false, options: 'size=1m' },
      ],
    });
    const { spec } = compileSpec(plan, request, imageOf(), { recursiveReadOnly: true });
    expect(spec).toMatchObject({
      platform: 'linux/arm64',
      User: '1:2',
      WorkingDir: '/w',
      Hostname: 'h',
      StopTimeout: 7,
      OpenStdin: true,
      StdinOnce: false,
      Tty: true,
      AttachStdout: false,
      ExposedPorts: { '80/tcp': {} },
    });
    expect(spec.HostConfig).toMatchObject({
      NetworkMode: 'mine',
      RestartPolicy: { Name: 'on-failure', MaximumRetryCount: 3 },
      PortBindings: {
        '80/tcp': [
          { HostIp: '127.0.0.1', HostPort: '8080' },
          { HostIp: '0.0.0.0', HostPort: '' },
        ],
      },
      Tmpfs: { '/t': 'rw,size=1m' },
    });
    expect(spec.HostConfig?.Mounts?.slice(2)).toEqual([
      { Type: 'bind', Source: '/data', Target: '/ro', ReadOnly: true, BindOptions: { Propagation: 'rprivate', ReadOnlyForceRecursive: true } },
      { Type: 'bind', Source: '/data', Target: '/rw', ReadOnly: false, BindOptions: { Propagation: 'rprivate' } },
      { Type: 'volume', Source: 'v', Target: '/v', ReadOnly: true },
    ]); // prettier-ignore
  });

  test('shares the namespaces that the plan has off, and only those (CT-04)', () => {
    const plan = planOf({ namespaces: { pid: false, ipc: false, uts: false, user: false, network: false } });
    const { spec } = compileSpec(
      plan,
      requestOf({ hostname: 'h', network: 'mine', isolation: ['user'] }),
      imageOf(),
      engine,
    );
    expect(spec.HostConfig).toMatchObject({
      PidMode: 'host',
      IpcMode: 'host',
      UTSMode: 'host',
      UsernsMode: 'host',
      NetworkMode: 'host',
    });
    expect(spec.Hostname).toBeUndefined();
  });
});

describe('what an image says (CT-03)', () => {
  test('its labels cannot look like ours', () => {
    const image = imageOf({ labels: { 'ucp.sandbox': 'fake', 'ucp.degraded': 'fake', maintainer: 'm' } });
    expect(compileSpec(planOf(), requestOf(), image, engine).spec.Labels).toEqual({
      'ucp.sandbox': 'abc123def456',
      'ucp.degraded': '',
    });
  });

  test('its injection hooks are removed unless the user repeats them', () => {
    const image = imageOf({ env: ['LD_PRELOAD=/x.so', 'BASH_ENV=/x', 'PATH=/bin'] });
    const { spec, droppedEnv } = compileSpec(planOf({ userEnv: { BASH_ENV: '/mine' } }), requestOf(), image, engine);
    expect(spec.Env).toEqual(['LD_PRELOAD', 'BASH_ENV=/mine', 'UCP_SANDBOX_ID=abc123def456']);
    expect(droppedEnv).toEqual(['LD_PRELOAD']);
  });

  test.each([
    [['NODE_OPTIONS=--max-old-space-size=9'], {}, 'NODE_OPTIONS=--import=/s --max-old-space-size=9'],
    [['NODE_OPTIONS=--require /evil.js'], {}, 'NODE_OPTIONS=--import=/s'],
    [['NODE_OPTIONS=--a'], { NODE_OPTIONS: '--b' }, 'NODE_OPTIONS=--import=/s --b'],
    [[], {}, 'NODE_OPTIONS=--import=/s'],
  ])('with NODE_OPTIONS from image %j and user %j ours stands in front', (env, userEnv, expected) => {
    const plan = planOf({ userEnv, prependEnv: { NODE_OPTIONS: { value: '--import=/s', separator: ' ' } } });
    expect(compileSpec(plan, requestOf(), imageOf({ env }), engine).spec.Env).toContain(expected);
  });

  test.each([
    [
      ['CMD-SHELL', 'curl x || exit 1'],
      ['CMD', '/.ucp/init', 'healthcheck', '/bin/sh', '-c', 'curl x || exit 1'],
    ],
    [
      ['CMD', '/check', 'a b'],
      ['CMD', '/.ucp/init', 'healthcheck', '/check', 'a b'],
    ],
  ])('its HEALTHCHECK %j goes through init (EX-22)', (Test, expected) => {
    const image = imageOf({ healthcheck: { Test, Interval: 5 } });
    expect(compileSpec(planOf(), requestOf(), image, engine).spec.Healthcheck).toEqual({ Test: expected, Interval: 5 });
  });
});

describe('the command', () => {
  const image = imageOf({ entrypoint: ['/entry', '-x'], cmd: ['default'] });
  test.each([
    [{}, ['/entry', '-x', 'default']],
    [{ command: ['a b', ''] }, ['/entry', '-x', 'a b', '']],
    [{ entrypoint: '/other' }, ['/other']],
    [{ entrypoint: '/other', command: ['c'] }, ['/other', 'c']],
    [{ entrypoint: '', command: ['c'] }, ['c']],
  ])('with %j is %j', (request, expected) => {
    expect(compileSpec(planOf(), requestOf(request), image, engine).spec.Cmd).toEqual(expected);
  });

  test('that is nowhere is refused', () => {
    expect(() => compileSpec(planOf(), requestOf({ entrypoint: '' }), image, engine)).toThrow(
      expect.objectContaining({ code: 'IMAGE_NO_COMMAND' }),
    );
  });
});
