import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

import { execa, type ResultPromise } from 'execa';
import { afterAll, beforeAll, describe, expect } from 'vitest';

import { pythonProgram } from '../python.ts';
import type { ReceivedRecord } from '../fakes/otlp-receiver-decode.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../fakes/otlp-receiver.ts';
import { until } from './helpers/docker.ts';
import { TestHost } from './helpers/host.ts';
import { verifies } from './helpers/verifies.ts';
import { program } from './js-sensor/helpers/packages.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PYTHON = join(ROOT, 'sensors/python');

/** Denies a tool of each of the test servers, to clients. */
const mcp = (remediate: boolean, ...denied: readonly string[]) => ({
  remediate,
  mcp: { client: { tools: { '*': { deny_list: denied } } }, server: { enable: false } },
});

describe('programs of the host, outside of any sandbox', () => {
  let host: TestHost;
  let receiver: OtlpReceiver;
  let daemon: ResultPromise;
  let env: Readonly<Record<string, string>>;
  let version = 0;

  beforeAll(async () => {
    receiver = await startOtlpReceiver();
    host = new TestHost();
    mkdirSync(host.path('p'));
    await host.policy(['keygen', '--out', host.path('key')]);
    const lines = [`policy_url: ${host.path('p')}/`, 'policy: policy.json', 'policy_sig: policy.json.sig'];
    const ucpcm = [...lines, `public_key: ${host.path('key.pub')}`].map((line) => `  ${line}`);
    writeFileSync(host.path('config.yaml'), [`event_url: ${receiver.url}`, 'ucpcm:', ...ucpcm, ''].join('\n'));
    await publish('danger', 'drop_table');
    daemon = execa(process.execPath, [join(ROOT, 'bin/ucpd.js'), 'run'], {
      env: host.env,
      extendEnv: false,
      reject: false,
    });
    await until('programs find a policy', () => existsSync(host.path('s/host/policy.json')));
    env = { PATH: host.env['PATH'] ?? '', UCP_STATE_DIR: host.path('s') };
  });
  afterAll(async () => {
    await host[Symbol.asyncDispose]();
    await daemon;
    await receiver.close();
  });

  async function publish(...denied: readonly string[]): Promise<void> {
    version += 1;
    const path = host.path('policy.json');
    const sections = { js_sensor: mcp(true, ...denied), python_sensor: mcp(true, ...denied) };
    writeFileSync(path, JSON.stringify({ policy_id: 'host', version, ...sections }));
    rmSync(`${path}.sig`, { force: true });
    await host.policy(['sign', path, '--key', host.path('key')]);
    for (const name of ['policy.json.sig', 'policy.json']) renameSync(host.path(name), host.path('p', name));
  }

  /** Violations of one tool that have arrived, as the receiver has them. */
  const violations = (tool: string): readonly ReceivedRecord[] =>
    receiver
      .records()
      .filter(
        ({ eventName, attributes }) =>
          eventName === 'mcp_violation' &&
          attributes['gen_ai.tool.name'] === tool &&
          attributes['mcp.method.name'] === 'tools/call',
      );

  /** One blocked call, told with the claim of who made it. */
  async function told(tool: string, pid: number): Promise<void> {
    await until(`the violation of ${tool}`, () => violations(tool).length > 0);
    const [{ severityText, attributes } = { severityText: '', attributes: {} }] = violations(tool);
    expect(severityText).toBe('ERROR');
    expect(attributes).toMatchObject({ 'ucp.identity': 'claimed', 'process.pid': pid, 'ucp.policy.version': version });
    expect(Object.keys(attributes).filter((name) => /sandbox|container/.test(name))).toEqual([]);
  }

  verifies(['HM-01'], 'node --import ucp-sandbox/sensor: the host’s signed policy holds, live too', async () => {
    const app = await program('v1', 'live.mjs');
    const child = execa(process.execPath, ['--import', 'ucp-sandbox/sensor', app, 'v1', 'stdio'], {
      cwd: ROOT,
      env,
      extendEnv: false,
      reject: false,
      buffer: false,
      stdin: 'pipe',
    });
    const lines = createInterface({ input: child.stdout ?? process.stdin });
    const answers: string[] = [];
    lines.on('line', (line) => line !== 'changed' && answers.push(line));
    const ask = async (command: string): Promise<unknown> => {
      const next = answers.length;
      child.stdin?.write(`${command}\n`);
      await until(`an answer to ${command}`, () => answers.length > next);
      return JSON.parse(answers[next] ?? '');
    };
    await until('it is ready', () => answers.length === 1);
    expect(await ask('list')).toEqual(['echo']);
    expect(await ask('call danger')).toMatchObject({ code: -32010, data: { policy: 'host' } });
    expect(await ask('call echo')).toBe('x');
    await told('danger', child.pid ?? 0);

    await publish('echo');
    expect((await host.ucpd(['sync'])).exitCode).toBe(0);
    await until('the new policy holds', async () => JSON.stringify(await ask('list')) === '["danger"]');
    expect(await ask('call echo')).toMatchObject({ code: -32010 });
    child.stdin?.end();
    await child;
    await publish('danger', 'drop_table');
    expect((await host.ucpd(['sync'])).exitCode).toBe(0);
  });

  verifies(['HM-01'], 'python -m ucp_sensor: the same', async () => {
    const child = execa(
      await pythonProgram('mcp2'),
      ['-m', 'ucp_sensor', join(PYTHON, 'tests/programs/mcp_stdio.py')],
      { env: { ...env, PYTHONPATH: PYTHON }, extendEnv: false, reject: false },
    );
    const { exitCode, stdout } = await child;
    expect(exitCode).toBe(0);
    const seen = JSON.parse(stdout.split('\n').at(-1) ?? '') as Record<string, unknown>;
    expect(seen['tools']).toEqual(['add', 'echo', 'fail']);
    expect(seen['drop_table']).toMatchObject({ code: -32010, data: { policy: 'host' } });
    expect(seen['again']).toBe('4');
    await told('drop_table', child.pid ?? 0);
  });

  verifies(['HM-02'], 'go on when the control plane is killed, and start under its policy', async () => {
    daemon.kill('SIGKILL');
    await daemon;
    const app = await program('v1', 'v1.mjs');
    const argv = ['--import', 'ucp-sandbox/sensor', app, 'memory'];
    const ran = await execa(process.execPath, argv, { cwd: ROOT, env, extendEnv: false });
    expect(JSON.parse(ran.stdout)).toMatchObject({ tools: ['echo'], danger: { code: -32010 } });
  });

  verifies(['HM-02'], 'are as they were without one: nothing is left when it ended on purpose', async () => {
    expect((await host.sandbox(['ps'])).exitCode).toBe(0);
    await host.ucpd(['stop']);
    await until('it has gone', () => !existsSync(host.path('s/host/policy.json')));
    const app = await program('v1', 'v1.mjs');
    const argv = ['--import', 'ucp-sandbox/sensor', app, 'memory'];
    const ran = await execa(process.execPath, argv, { cwd: ROOT, env, extendEnv: false });
    expect(JSON.parse(ran.stdout)).toMatchObject({ tools: ['echo', 'danger'] });
    const required = { ...env, UCP_REQUIRE: '1' };
    const refused = await execa(process.execPath, argv, { cwd: ROOT, env: required, extendEnv: false, reject: false });
    expect([refused.exitCode, refused.stdout]).toEqual([125, '']);
  });
});
