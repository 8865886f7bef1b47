import { describe, expect, test } from 'vitest';

import { call, fileOf, GatewayScene, line, sceneUnder } from './testing.ts';

describe('a policy that comes and goes', () => {
  test('is in force from the next line on, and knows the server that spoke before', async () => {
    const one = new GatewayScene();
    const first = line({ id: 0, result: { serverInfo: { name: 'files' } } });
    expect((await one.serverSays(`${first}not json\n{"half`)).client).toBe(`${first}not json\n{"half`);
    await one.gateway.update(
      fileOf({ server: { tools: { files: { deny_list: ['danger'] }, '*': { deny_list: ['other'] } } } }),
    );
    expect(await one.clientSays(call(1, 'danger') + call(2, 'other'))).toMatchObject({
      server: call(2, 'other'),
      client: '',
    });
    const { client } = await one.serverSays(' a line"}\nnoise\n');
    expect(client).toMatch(/^ a line"\}\n\{.*-32010.*\}\n$/);
    await one.gateway.update(null);
    expect((await one.clientSays(call(3, 'danger'))).server).toBe(call(3, 'danger'));
  });

  test('is replaced by the next one', async () => {
    const one = await sceneUnder();
    await one.gateway.update(fileOf({ server: { tools: { '*': { deny_list: ['other'] } } } }, true, 2));
    expect((await one.clientSays(call(1, 'danger') + call(2, 'other'))).server).toBe(call(1, 'danger'));
    expect(await one.events()).toMatchObject([{ generation: 2 }]);
  });
});
