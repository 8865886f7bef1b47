import { afterAll, beforeAll, describe, expect } from 'vitest';

import { until } from '../helpers/docker.ts';
import { verifies } from '../helpers/verifies.ts';
import type { KernelConnection, Message } from '../kernel/connection.ts';
import { type Container, Containers } from '../kernel/containers.ts';
import { witnesses } from '../kernel/image.ts';
import { TraceHelper, WITHOUT_BPF } from './helper.ts';

type Item = Readonly<Record<string, number | string>>;

const lineage = (event: Message): readonly Item[] => event['lineage'] as readonly Item[];

describe.each([
  ['bpf', []],
  ['proc_connector', [WITHOUT_BPF]],
] as const)('processes observed by %s', (observedBy, flags) => {
  let helper: TraceHelper;
  let containers: Containers;
  let box: Container;
  let trace: KernelConnection;

  beforeAll(async () => {
    helper = await TraceHelper.start(...flags);
    containers = new Containers(await witnesses());
    box = await containers.start('--tmpfs', '/scratch:exec', '-v', '/volume');
    trace = await helper.hello();
    await trace.accepted({ type: 'attach', sandbox: 'box', pid: box.pid });
  });
  afterAll(async () => {
    trace.close();
    await containers[Symbol.asyncDispose]();
    await helper[Symbol.asyncDispose]();
  });

  const last = (args: readonly string[]): Message | undefined =>
    trace.events.findLast(
      (event) => event['type'] === 'process_exec' && JSON.stringify(event['args']) === JSON.stringify(args),
    );
  const exec = async (args: readonly string[]): Promise<Message> => {
    await until(`an exec of ${args.join(' ')}`, () => last(args) !== undefined);
    return last(args) ?? {};
  };

  verifies(['EX-26'], 'are told with arguments, directory, user, numbers and parents', async () => {
    await box.sh('cd /srv; sleep 1; :');
    const slept = await exec(['sleep', '1']);
    expect(slept).toMatchObject({ sandbox: 'box', observedBy, path: '/bin/busybox', cwd: '/srv', uid: 0, count: 1 });
    expect(slept['pid']).not.toBe(slept['pidInside']);
    const [self, shell] = lineage(slept);
    expect(self).toMatchObject({ pid: slept['pid'], pidInside: slept['pidInside'], comm: slept['comm'] });
    expect(shell).toMatchObject({ comm: 'sh' });
    expect(await exec(['sh', '-c', 'cd /srv; sleep 1; :'])).toMatchObject({ pidInside: shell?.['pidInside'] });
    const exit = await trace.event({ type: 'process_exit', pid: slept['pid'] });
    expect(exit).toMatchObject({ path: '/bin/busybox', code: 0, sandbox: 'box', observedBy });
  });

  verifies(['EX-26'], 'are told with where the program comes from', async () => {
    const places = { '/tmp': 'drift', '/tmp/own': 'drift', '/scratch': 'drift', '/volume': 'volume' };
    const copies = `for d in ${Object.keys(places).join(' ')}; do cp /bin/busybox $d/sleep; $d/sleep 0.3; done`;
    await box.sh(`mkdir -m 700 /tmp/own; chown app /tmp/own; sleep 0.31; ${copies}`);
    expect(await exec(['sleep', '0.31'])).toMatchObject({ origin: 'image' });
    for (const [dir, origin] of Object.entries(places)) {
      expect(await exec([`${dir}/sleep`, '0.3'])).toMatchObject({ path: `${dir}/sleep`, origin });
    }
  });

  verifies(['EX-26'], 'end with their code or their signal', async () => {
    await box.sh('sh -c "sleep 0.2; exit 7"; sh -c "sleep 0.2; kill -9 \\$\\$"');
    const seven = await exec(['sh', '-c', 'sleep 0.2; exit 7']);
    expect(await trace.event({ type: 'process_exit', pid: seven['pid'] })).toMatchObject({ code: 7 });
    const killed = await exec(['sh', '-c', 'sleep 0.2; kill -9 $$']);
    const end = await trace.event({ type: 'process_exit', pid: killed['pid'] });
    expect(end).toMatchObject({ signal: 9 });
    expect(end).not.toHaveProperty('code');
  });

  verifies(['EX-26'], 'are only those of attached sandboxes', async () => {
    const other = await containers.start();
    await other.sh('sleep 0.61; :');
    await box.sh('sleep 0.62; :');
    await exec(['sleep', '0.62']);
    expect(last(['sleep', '0.61'])).toBeUndefined();
  });

  verifies(['EX-26'], 'that are alike are put together with their exact number', async () => {
    const before = trace.events.length;
    await box.sh('i=0; while [ $i -lt 100 ]; do sleep 0.02 2>/dev/null; i=$((i+1)); done');
    const counted = (type: string, wanted: (event: Message) => boolean): number =>
      trace.events
        .slice(before)
        .filter((event) => event['type'] === type && wanted(event))
        .reduce((sum, event) => sum + Number(event['count']), 0);
    // Of a process that ended before it could be looked at, only that much is known.
    const alike = observedBy === 'bpf' ? ['["sleep","0.02"]'] : ['["sleep","0.02"]', '[]'];
    const execs = (): number => counted('process_exec', ({ args }) => alike.includes(JSON.stringify(args)));
    await until(`100 execs, told ${execs()}`, () => execs() >= 100);
    expect(execs()).toBe(100);
    expect(trace.events.length - before).toBeLessThan(200);
  });

  verifies(['EX-26'], 'are asked about by number, also soon after their end', async () => {
    await box.sh('sh -c "sleep 0.53; :"');
    const slept = await exec(['sleep', '0.53']);
    await trace.event({ type: 'process_exit', pid: slept['pid'] });
    const answer = await trace.accepted({ type: 'lineage', sandbox: 'box', pid: slept['pid'] });
    expect(lineage(answer)).toEqual(lineage(slept));
    expect(await trace.ask({ type: 'lineage', sandbox: 'box', pid: process.pid })).toMatchObject({ lineage: [] });
  });
});
