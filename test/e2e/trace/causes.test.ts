import { resolve } from 'node:path';

import { afterAll, beforeAll, describe, expect } from 'vitest';

import type { ReceivedRecord } from '../../fakes/otlp-receiver-decode.ts';
import { node, python } from '../../images/index.ts';
import { until } from '../helpers/docker.ts';
import { SensorHost } from '../helpers/sensor-run.ts';
import { verifies } from '../helpers/verifies.ts';
import { packages } from '../js-sensor/helpers/packages.ts';

const PYTHON = resolve(import.meta.dirname, '../../../sensors/python/tests/programs');
const REQUEST = 'jsonrpc.request.id';
const MARKS = ['one', 'two'] as const;

/** A server by its sensor, and what it starts for a request besides the shell. */
const SERVERS = {
  js_sensor: { program: ['node', '/app/programs/spawner.mjs'], own: ['echo'] },
  python_sensor: { program: ['python3', '/app/spawner.py'], own: ['echo', 'ls', 'uname'] },
} as const;

describe.each(['js_sensor', 'python_sensor'] as const)('what a tool of an MCP server starts, told by %s', (sensor) => {
  let host: SensorHost;
  beforeAll(async () => {
    host = await SensorHost.open({
      [sensor]: { mcp: { server: { enable: true } }, runtime: { enable: true } },
      exec: { remediate: true, deny_list: ['/tmp/denied-*'] },
    });
    const image = await (sensor === 'js_sensor' ? node() : python());
    const app = sensor === 'js_sensor' ? await packages('v1') : PYTHON;
    const ran = await host.run('-v', `${app}:/app`, image, ...SERVERS[sensor].program);
    if (ran.exitCode !== 0) throw new Error(ran.stderr);
  });
  afterAll(() => host[Symbol.asyncDispose]());

  const records = (name: string): readonly ReceivedRecord[] =>
    host.receiver.records().filter(({ eventName }) => eventName === name);
  const execs = (word: string): readonly ReceivedRecord[] =>
    records('process_exec').filter(({ body }) => JSON.stringify(body).includes(word));
  /** The request of each mark, as the sensor's own events of the calls have it. */
  const request = (mark: string): unknown =>
    records('process_spawn').find(({ body }) => JSON.stringify(body).includes(`denied-${mark}`))?.attributes[REQUEST];

  verifies(['EX-27'], 'names the tool call, also two at a time', async () => {
    await until('all events', () => MARKS.every((mark) => execs(`denied-${mark}`).length > 0 && request(mark)), 60_000);
    expect(request('one')).not.toBe(request('two'));
    for (const mark of MARKS) {
      const cause = { [REQUEST]: request(mark), 'gen_ai.tool.name': 'run', 'mcp.method.name': 'tools/call' };
      const shells = execs(`cp /bin/`).filter(({ body }) => JSON.stringify(body).includes(`denied-${mark}`));
      expect(shells.map(({ attributes }) => attributes)).toEqual([expect.objectContaining(cause)]);
      // Of the shell, and of a child of a child of it.
      const inside = shells[0]?.attributes['process.vpid'];
      await until('the copy', () => execs('"cp"').length >= 2 && execs('"cat"').length >= 2);
      for (const word of ['"cp"', '"cat"']) {
        const found = execs(word).filter(({ body }) =>
          (body as { parents: { pid_inside: number }[] }).parents.some(({ pid_inside }) => pid_inside === inside),
        );
        expect(found.map(({ attributes }) => attributes)).toEqual([expect.objectContaining(cause)]);
      }
      for (const word of SERVERS[sensor].own) {
        await until(`${word} of ${mark}`, () =>
          execs(`"${word}`).some(({ attributes }) => attributes[REQUEST] === cause[REQUEST]),
        );
      }
    }
  });

  verifies(['EX-27'], 'and is refused, names the tool call in the violation', async () => {
    for (const mark of MARKS) {
      const blocked = (): readonly ReceivedRecord[] =>
        records('exec_violation').filter(
          ({ attributes }) => attributes['process.executable.path'] === `/tmp/denied-${mark}`,
        );
      await until(`violations of ${mark}`, () => blocked().length > 0);
      for (const { attributes } of blocked()) {
        expect(attributes).toMatchObject({ [REQUEST]: request(mark), 'gen_ai.tool.name': 'run' });
      }
    }
  });

  verifies(['EX-27'], 'is what they say: the server itself was started for no request', async () => {
    const servers = execs('"serve"');
    expect(servers.length).toBeGreaterThan(0);
    for (const { attributes } of servers) expect(attributes).not.toHaveProperty([REQUEST]);
    const exits = records('process_exit').filter(({ attributes }) => attributes[REQUEST] === request('one'));
    expect(exits.length).toBeGreaterThan(0);
  });
});
