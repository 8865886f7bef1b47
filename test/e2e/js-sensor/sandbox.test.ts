import { afterAll, beforeAll, describe, expect } from 'vitest';

import { node } from '../../images/index.ts';
import { until } from '../helpers/docker.ts';
import { SensorHost } from '../helpers/sensor-run.ts';
import { verifies } from '../helpers/verifies.ts';
import type { Dialog } from './helpers/dialogs.ts';
import { packages } from './helpers/packages.ts';
import { denyOn } from './helpers/policy.ts';

const FULL = process.env['UCP_FULL'] === '1';

/** Each is told once when it is hidden and once when it is refused. */
const TOLD = [
  ['danger', 'tools/list'],
  ['danger', 'tools/call'],
  ['mem://secret', 'resources/list'],
  ['mem://secret', 'resources/read'],
  ['trick', 'prompts/list'],
  ['trick', 'prompts/get'],
].map(([name, method]) => `${method} ${name} ERROR`);

/** The violations that have arrived. */
function violations(host: SensorHost): readonly string[] {
  return host.receiver.records().flatMap(({ eventName, attributes: at, severityText }) => {
    const name = at['gen_ai.tool.name'] ?? at['mcp.resource.uri'] ?? at['gen_ai.prompt.name'];
    return eventName === 'mcp_violation' ? [[at['mcp.method.name'], name, severityText].join(' ')] : [];
  });
}

// A server in a sandbox is there in servers.test.ts; this one is started by the client.
describe.each(FULL ? (['client', 'server'] as const) : (['client'] as const))(
  'in a sandbox, denied to the %s',
  (side) => {
    let host: SensorHost;
    let image: string;
    beforeAll(async () => {
      image = await node();
      host = await SensorHost.open(denyOn(side));
    });
    afterAll(() => host[Symbol.asyncDispose]());

    for (const set of ['v1', 'v2'] as const) {
      verifies(
        ['BC-3256', 'RUN-07'],
        `BC-3256: neither listed nor called, with SDK ${set}; told once each`,
        async () => {
          const before = violations(host).length;
          const volume = `${await packages(set)}:/app`;
          const ran = await host.run('-v', volume, image, 'node', `/app/programs/${set}.mjs`, 'stdio');
          expect({ code: ran.exitCode, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
          const seen = JSON.parse(ran.stdout) as Dialog;
          const refused = { code: -32010, data: { policy: 'sensors' } };
          expect(seen).toMatchObject({ danger: refused, secret: refused, trick: refused });
          expect(seen).toMatchObject({
            tools: ['echo'],
            resources: ['mem://open'],
            templates: ['user://{id}'],
            prompts: ['greet'],
            echo: 'hello',
            open: 'open',
            greet: 'hi',
            again: 'still here',
          });
          await until('every violation', () => violations(host).length >= before + TOLD.length);
          expect(violations(host).slice(before).toSorted()).toEqual(TOLD.toSorted());
        },
      );
    }

    verifies(['EX-20'], 'nothing that a program loads comes before the sensor', async () => {
      const programs = '/app/programs';
      const script = [
        `node --require ${programs}/early.cjs -e 0`,
        `NODE_REPL_EXTERNAL_MODULE=${programs}/early.cjs node -i </dev/null`,
        `NODE_OPTIONS="$NODE_OPTIONS --require ${programs}/early.cjs" node -e 0`,
        `exec node ${programs}/injection.mjs /.ucp/sensors/js/preload.cjs /tmp`,
      ].join('\n');
      const ran = await host.run('-v', `${await packages('v1')}:/app`, image, 'sh', '-c', script);
      expect({ code: ran.exitCode, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
      const lines = ran.stdout.split('\n').filter((line) => line.startsWith('early'));
      expect(lines).toEqual(['early true', 'early true', 'early true']);
      const found = JSON.parse(/^\{.*\}$/m.exec(ran.stdout)?.[0] ?? '{}') as Record<string, readonly string[]>;
      expect(Object.values(found).flat()).not.toContain('early false');
      expect(Object.values(found).flat().length).toBeGreaterThan(15);
    });
  },
);
