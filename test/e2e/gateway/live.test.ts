import { mkdirSync, writeFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect } from 'vitest';

import type { Policy } from '../../../src/policy/index.ts';
import { until } from '../helpers/docker.ts';
import { verifies } from '../helpers/verifies.ts';
import { cServer } from './helpers/c-server.ts';
import { GatewayHost } from './helpers/under-policy.ts';

describe('a policy that changes while a server runs', () => {
  let host: GatewayHost;
  let image: string;

  beforeAll(async () => {
    host = new GatewayHost();
    image = await cServer();
    await host.ready();
    mkdirSync(host.path('bucket'));
    await host.publish(host.path('bucket/policy.json'), undefined);
    writeFileSync(
      host.path('config.yaml'),
      [
        'ucpcm:',
        `  policy_url: file://${host.path('bucket')}/`,
        '  policy: policy.json',
        '  policy_sig: policy.json.sig',
        `  public_key: file://${host.path('key.pub')}`,
      ].join('\n'),
    );
  });
  afterAll(() => host[Symbol.asyncDispose]());

  const change = async (gateway: Policy['gateway']): Promise<void> => {
    await host.publish(host.path('bucket/policy.json'), gateway);
    expect(await host.ucpd(['sync'])).toMatchObject({ exitCode: 0, stderr: '' });
  };

  verifies(
    ['GW-04'],
    'is in force for the next message: none, one for this server, another, none, with and without a control plane',
    async () => {
      const { client } = await host.connect(image);
      const call = async (): Promise<string> => {
        try {
          await client.callTool({ name: 'echo', arguments: {} });
          return 'ok';
        } catch (error) {
          return (error as { data: { rule: string } }).data.rule;
        }
      };
      const said = [await call()];
      await change({ remediate: true, mcp: { server: { tools: { 'by-hand': { deny_list: ['echo'] } } } } });
      said.push(await call());
      await change({ remediate: true, mcp: { server: { tools: { '*': { allow_list: ['get-sum'] } } } } });
      said.push(await call());
      await host.ucpd(['stop']);
      said.push(await call());
      // The front end starts a new control plane by itself, and finds it.
      await until('a control plane', async () => (await host.ucpd(['status'])).exitCode === 0);
      await change(undefined);
      await until('the last policy', async () => (await call()) === 'ok');
      await client.close();
      expect(said).toEqual([
        'ok',
        '/gateway/mcp/server/tools/by-hand/deny_list/0',
        '/gateway/mcp/server/tools/*/allow_list',
        '/gateway/mcp/server/tools/*/allow_list',
      ]);
    },
  );
});
