import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect } from 'vitest';

import { busybox } from '../../images/index.ts';
import { cServer } from '../gateway/helpers/c-server.ts';
import { ground } from '../exec/helpers/ground.ts';
import { runAll } from '../exec/helpers/site.ts';
import { docker, until } from '../helpers/docker.ts';
import { verifies } from '../helpers/verifies.ts';
import { Machine } from './helpers/machine.ts';

const SURVIVOR = 'ucp-e2e-service';
const REBOOTED = 'ucp-e2e-reboot';
const GUARDED = 'ucp-e2e-service-exec';
const WEB = 'ucp-e2e-service-web';

describe('the service ucpd under systemd', () => {
  let machine: Machine;
  let image: string;

  beforeAll(async () => {
    image = await busybox();
    machine = await Machine.boot();
  });
  afterAll(async () => {
    await docker('rm', '-f', SURVIVOR, REBOOTED, GUARDED, WEB);
    await machine.close();
  });

  const pid = (): Promise<string> => machine.unit('MainPID');
  const serves = async (): Promise<boolean> => (await machine.ucp('ucpd', 'status')).exitCode === 0;
  /** What the service knows of the sandbox that was started before. */
  const survivor = async (): Promise<{ name: string; state: string } | undefined> => {
    const listed = JSON.parse((await machine.ucp('ucp-sandbox', 'ps', '--json')).stdout) as {
      name: string;
      state: string;
    }[];
    return listed.find(({ name }) => name === SURVIVOR);
  };

  verifies(['SVC-01'], 'is installed and started, and runs sandboxes', async () => {
    const installed = await machine.install();
    expect([installed.exitCode, installed.stderr]).toEqual([0, '']);
    expect(await machine.unit('ActiveState')).toBe('active');
    expect(await machine.unit('StatusText')).toMatch(/^policy ucp-default-free version 0 \(default\), sandboxes: 0$/);
    expect((await machine.run('systemctl', 'is-enabled', 'ucpd')).stdout).toBe('enabled');
    expect(JSON.parse((await machine.ucp('ucpd', 'status', '--json')).stdout)).toMatchObject({
      mode: 'service',
      pid: Number(await pid()),
      socket: '/run/ucp/ucpd.sock',
    });
    const ran = await machine.ucp('ucp-sandbox', 'run', image, 'sh', '-c', 'echo out; exit 7');
    expect(ran).toMatchObject({ exitCode: 7, stdout: 'out' });
    const logged = await machine.run('journalctl', '-u', 'ucpd', '--no-pager');
    expect(logged.stdout).toMatch(/policy loaded, \d+ bytes/);
  });

  verifies(['SVC-01'], 'lets a workload that is not root read its policy', async () => {
    const script = 'test -r "$UCP_POLICY_FILE" && echo readable';
    const ran = await machine.ucp('ucp-sandbox', 'run', '-u', '1000:1000', image, 'sh', '-c', script);
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'readable' });
  });

  verifies(['SVC-01', 'NET-09'], 'holds network rules, and tells of what they refuse', async () => {
    const peer = `${SURVIVOR}-peer`;
    try {
      await docker('run', '-d', '--name', peer, image, 'httpd', '-f', '-p', '80');
      const address = (await docker('inspect', '-f', '{{.NetworkSettings.IPAddress}}', peer)).stdout;
      const reach = async (...flags: readonly string[]) =>
        machine.ucp('ucp-sandbox', 'run', ...flags, image, 'sh', '-c', `nc -w 5 ${address} 80 </dev/null`);
      expect(await reach()).toMatchObject({ exitCode: 0 });
      const refused = await reach('--network-config', 'locked-down');
      expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('refused') as unknown });
      await until('it is told of', async () => {
        const { stdout } = await machine.ucp('ucpd', 'logs', '--json');
        return stdout.split('\n').some((line) => line.includes('"network_violation"') && line.includes(address));
      });
    } finally {
      await docker('rm', '-f', peer);
    }
  });

  verifies(['SVC-02'], 'serves members of its group and nobody else', async () => {
    expect((await machine.run('stat', '-c', '%a %U %G', '/run/ucp/ucpd.sock')).stdout).toBe('660 root ucp');
    await machine.addUser('member', 'docker', 'ucp');
    await machine.addUser('other', 'docker');
    const program = `${machine.dir}/bin/ucp-sandbox`;
    expect((await machine.as('member', program, 'run', image, 'echo', 'ok')).stdout).toBe('ok');
    const refused = await machine.as('other', program, 'run', image, 'echo', 'ran');
    expect([refused.exitCode, refused.stdout]).toEqual([125, '']);
    expect(refused.stderr).toContain('CONTROLPLANE_DENIED');
    expect((await machine.as('other', `${machine.dir}/bin/ucpd`, 'sync')).stderr).toContain('CONTROLPLANE_DENIED');
    expect((await machine.as('other', `${machine.dir}/bin/ucpd`, 'status')).stdout).toContain('(service)');
  });

  verifies(['SVC-05'], 'has few rights', async () => {
    const judged = await machine.run('systemd-analyze', 'security', 'ucpd', '--no-pager');
    const exposure = Number(/Overall exposure level for ucpd\.service: ([\d.]+)/.exec(judged.stdout)?.[1]);
    expect(exposure).toBeLessThanOrEqual(3);
  });

  verifies(['SVC-07'], 'reads its configuration again and keeps the old one where the new one is bad', async () => {
    const before = await pid();
    const reload = () => machine.run('systemctl', 'reload', 'ucpd');
    machine.configure('edition: ful\n');
    expect((await reload()).exitCode).not.toBe(0);
    const journal = (await machine.run('journalctl', '-u', 'ucpd', '--no-pager')).stdout;
    expect(journal).toMatch(/config\.yaml, line 1: edition/);
    expect(await machine.unit('ActiveState')).toBe('active');
    expect((await machine.ucp('ucpd', 'status')).stdout).toContain('ucp-default-free');
    machine.configure('edition: full\n');
    expect(await reload()).toMatchObject({ exitCode: 0, stderr: '' });
    expect((await machine.ucp('ucpd', 'status')).stdout).toContain('ucp-default-full');
    machine.configure('edition: free\n');
    await machine.signal('HUP');
    await until('the free edition', async () =>
      (await machine.ucp('ucpd', 'status')).stdout.includes('ucp-default-free'),
    );
    expect(await pid()).toBe(before);
  });

  verifies(['SVC-08'], 'gets the keys of its bucket from systemd, in a place of its own', async () => {
    const keys = `/run/credentials/ucpd.service/aws-credentials`;
    const read = async (path: string): Promise<string> => (await machine.run('cat', path)).stdout;
    expect(await read(keys)).toBe('#');
    await machine.write('/etc/ucp/aws-credentials', '[default]\naws_access_key_id = id\n');
    await machine.run('systemctl', 'restart', 'ucpd');
    expect(await read(keys)).toContain('aws_access_key_id = id');
    const environment = await read(`/proc/${await pid()}/environ`);
    expect(environment.split('\0')).toContain(`AWS_SHARED_CREDENTIALS_FILE=${keys}`);
    const other = await machine.as('other', 'cat', keys);
    expect([other.exitCode === 0, other.stdout]).toEqual([false, '']);
  });

  verifies(['SVC-03', 'EX-17', 'EX-23'], 'enforces exec rules, also while it or its helpers are killed', async () => {
    const at = (name: string): string => `${machine.dir}/${name}`;
    const exec = { remediate: true, deny_list: ['/opt/denied/*'] };
    await machine.write(at('bucket/policy.json'), JSON.stringify({ policy_id: 'service', version: 1, exec }));
    const keys = await machine.run(at('bin/ucp-policy'), 'keygen', '--out', at('bucket/key'));
    const signed = await machine.run(at('bin/ucp-policy'), 'sign', at('bucket/policy.json'), '--key', at('bucket/key'));
    expect([keys.exitCode, signed.exitCode]).toEqual([0, 0]);
    machine.configure(
      [
        'event_format: OTEL',
        'event_url: http://127.0.0.1:9',
        'ucpcm:',
        `  policy_url: file://${at('bucket')}/`,
        '  policy: policy.json',
        '  policy_sig: policy.json.sig',
        `  public_key: file://${at('bucket/key.pub')}`,
        '  transport: { transport_type: file, auth_method: default }',
      ].join('\n'),
    );
    await machine.run('systemctl', 'restart', 'ucpd');
    const ran = await machine.ucp('ucp-sandbox', 'run', '-d', '--name', GUARDED, await ground());
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    const judged = async (): Promise<void> => {
      expect(await runAll(GUARDED, ['/opt/allowed', '$D/later', '/opt/allowed'])).toEqual(['runs', 'stopped', 'runs']);
    };
    const owner = readFileSync(at('state/owner'), 'utf8');
    const helpers = async (...more: readonly string[]): Promise<readonly string[]> => {
      const filters = [`label=ucp.owner=${owner}`, 'label=ucp.helper', ...more].flatMap((one) => ['--filter', one]);
      return (await docker('ps', '-aq', ...filters)).stdout.split('\n').filter(Boolean);
    };
    await judged();
    await docker('kill', ...(await helpers('label=ucp.helper=ucp-kernel')));
    await judged();
    await machine.signal('KILL');
    await judged();
    await docker('kill', ...(await helpers('label=ucp.helper=ucp-hold')));
    await until('it serves', serves);
    await judged();
    await machine.ucp('ucp-sandbox', 'rm', '-f', GUARDED);
    await machine.run('systemctl', 'stop', 'ucpd');
    expect(await helpers()).toEqual([]);
    machine.configure('edition: free\n');
    await machine.run('systemctl', 'start', 'ucpd');
    rmSync(at('bucket'), { recursive: true });
  });

  verifies(['SVC-03', 'LC-05'], 'is started again when it is killed, and takes its sandboxes back', async () => {
    await machine.ucp('ucp-sandbox', 'run', '-d', '--name', SURVIVOR, image, 'sleep', '600');
    const before = await pid();
    await machine.signal('KILL');
    expect(await survivor()).toMatchObject({ state: 'running' });
    expect(await pid()).not.toBe(before);
    expect(await machine.unit('NRestarts')).toBe('1');
    expect((await machine.ucp('ucp-sandbox', 'exec', SURVIVOR, 'true')).exitCode).toBe(0);
  });

  verifies(['SVC-03', 'LC-05'], 'is restarted under sandboxes, also those with a front end', async () => {
    const script = 'echo up; read x; echo "$x"; exit 5';
    const foreground = machine.spawn(['run', '-i', image, 'sh', '-c', script], { stdin: 'pipe' });
    await once(foreground.stdout ?? process.stdin, 'data');
    const before = await pid();
    expect((await machine.run('systemctl', 'restart', 'ucpd')).exitCode).toBe(0);
    expect(await pid()).not.toBe(before);
    expect(await survivor()).toMatchObject({ state: 'running' });
    foreground.stdin?.end('last words\n');
    const ended = await foreground;
    expect([ended.exitCode, String(ended.stdout)]).toEqual([5, 'up\nlast words']);
  });

  verifies(
    ['GW-09'],
    'holds the front end of a server over HTTP as docs/gateway.md says: starts it again, stops it, logs',
    async () => {
      const front = ['run', '--name', WEB, '--mcp', 'http:3001', '-p', '8080:3001', await cServer(), '3001'];
      const held = ['--unit', 'web', '--property', 'Restart=always', `${machine.dir}/bin/ucp-sandbox`, ...front];
      expect((await machine.run('systemd-run', ...held)).exitCode).toBe(0);
      const head =
        'POST /mcp HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Type: application/json\\r\\nContent-Length: 46\\r\\n';
      const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
      const ask = `exec 3<>/dev/tcp/127.0.0.1/8080; printf '${head}Connection: close\\r\\n\\r\\n${body}' >&3; cat <&3`;
      const answers = async (): Promise<boolean> => (await machine.run('bash', '-c', ask)).stdout.includes('get-sum');
      await until('the server answers', answers, 60_000);
      await machine.run('systemctl', 'kill', '--signal', 'KILL', 'web');
      await until('another front end', async () => Number(await machine.property('web', 'NRestarts')) > 0, 60_000);
      await until('the server answers again', answers, 60_000);
      expect((await machine.run('systemctl', 'stop', 'web')).exitCode).toBe(0);
      await until('no sandbox', async () => (await docker('ps', '-aq', '--filter', `name=^${WEB}$`)).stdout === '');
      const logged = await machine.run('journalctl', '-u', 'web', '--no-pager');
      expect(logged.stdout).toContain('http://127.0.0.1:8080');
    },
  );

  verifies(['SVC-04'], 'is started again when it hangs', async () => {
    await machine.dropIn('watchdog', 'WatchdogSec=2');
    await machine.run('systemctl', 'restart', 'ucpd');
    const before = await pid();
    await machine.signal('STOP');
    await until('another process', async () => !['0', before].includes(await pid()), 60_000);
    await until('it serves', serves);
    expect((await machine.run('journalctl', '-u', 'ucpd', '--no-pager')).stdout).toContain('Watchdog timeout');
    expect(await survivor()).toMatchObject({ state: 'running' });
  });

  verifies(
    ['SVC-09', 'LC-05'],
    'has sandboxes with a restart policy up again after a reboot, under the policy of now',
    async () => {
      const script = 'grep -o "ucp-default-[a-z]*" "$UCP_POLICY_FILE" | head -n 1; sleep 600';
      await machine.ucp(
        'ucp-sandbox',
        'run',
        '-d',
        '--restart',
        'always',
        '--name',
        REBOOTED,
        image,
        'sh',
        '-c',
        script,
      );
      const said = async (): Promise<string> => (await docker('logs', REBOOTED)).stdout;
      await until('its workload has run', async () => (await said()) === 'ucp-default-free');
      machine.configure('edition: full\n');
      await machine.reboot(async () => {
        // The engine is not the machine's own here: what it does at a boot it does for a container that died, too.
        const facts = JSON.parse((await docker('inspect', '-f', '{{json .State}}', REBOOTED)).stdout) as {
          Pid: number;
        };
        process.kill(facts.Pid, 'SIGKILL');
        const restarts = async (): Promise<string> =>
          (await docker('inspect', '-f', '{{.RestartCount}}', REBOOTED)).stdout;
        await until(
          'the engine has tried to start it without a control plane',
          async () => Number(await restarts()) > 1,
        );
        expect(await said()).toBe('ucp-default-free');
      });
      await until(
        'its workload runs again',
        async () => (await said()) === 'ucp-default-free\nucp-default-full',
        120_000,
      );
      const listed = (await machine.ucp('ucp-sandbox', 'ps', '--json')).stdout;
      expect(JSON.parse(listed)).toContainEqual(expect.objectContaining({ name: REBOOTED, state: 'running' }));
      expect(await survivor()).toMatchObject({ state: 'running' });
      expect((await machine.ucp('ucp-sandbox', 'stop', '-t', '0', REBOOTED)).exitCode).toBe(0);
      expect((await machine.ucp('ucp-sandbox', 'start', REBOOTED)).exitCode).toBe(0);
      expect((await machine.ucp('ucp-sandbox', 'rm', '-f', REBOOTED)).exitCode).toBe(0);
      machine.configure('edition: free\n');
    },
  );

  verifies(['SVC-06'], 'is removed without a trace', async () => {
    await machine.ucp('ucp-sandbox', 'rm', '-f', SURVIVOR);
    expect((await machine.installer('--remove')).exitCode).toBe(0);
    expect((await machine.run('test', '-f', '/etc/ucp/ucpd.env')).exitCode).toBe(0);
    expect((await machine.installer('--purge')).exitCode).toBe(0);
    const found = await machine.run('find', '/etc', '/run', '/usr', '/var/lib', '/var/cache', '-iname', '*ucp*');
    expect(found.stdout.split('\n').filter((path) => path !== machine.dir)).toEqual([]);
    expect(readdirSync(machine.dir).sort()).toEqual(['bin', 'config.yaml', 'lib']);
    expect([...readdirSync(`${machine.dir}/bin`), ...readdirSync(`${machine.dir}/lib`)]).toEqual([]);
    expect((await machine.run('getent', 'group', 'ucp')).exitCode).not.toBe(0);
    expect(await machine.unit('LoadState')).toBe('not-found');
  });
});
