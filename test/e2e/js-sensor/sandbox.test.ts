import { afterAll, beforeAll, describe, expect } from 'vitest';

import { node } from '../../images/index.ts';
import { until } from '../helpers/docker.ts';
import { SensorHost } from '../helpers/sensor-run.ts';
import { verifies } from '../helpers/verifies.ts';
import type { Dialog, Refusal } from './helpers/dialogs.ts';
import { packages } from './helpers/packages.ts';
import { denyOn } from './helpers/policy.ts';

describe('a JavaScript client in a sandbox', () => {
  let host: SensorHost;
  let image: string;
  beforeAll(async () => {
    image = await node();
    host = await SensorHost.open(denyOn('client'));
  });
  afterAll(() => host[Symbol.asyncDispose]());

  for (const set of ['v1', 'v2'] as const) {
    verifies(['BC-3256', 'RUN-07'], `BC-3256: neither lists nor calls a denied tool, of SDK ${set}`, async () => {
      const before = host.violations('danger').length;
      const ran = await host.run(
        '-v',
        `${await packages(set)}:/app`,
        image,
        'node',
        `/app/programs/${set}.mjs`,
        'stdio',
      );
      expect({ code: ran.exitCode, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
      const seen = JSON.parse(ran.stdout) as Dialog;
      expect(seen).toMatchObject({ tools: ['echo'], echo: 'hello', again: 'still here' });
      expect(seen.danger as Refusal).toMatchObject({ code: -32010, data: { policy: 'sensors' } });
      await until('both violations', () => host.violations('danger').length >= before + 2);
      expect(host.violations('danger').slice(before)).toEqual([
        ['tools/list', 'ERROR'],
        ['tools/call', 'ERROR'],
      ]);
    });
  }
});
