import { createServer } from 'node:net';

import { expect, test } from 'vitest';

import { openDoors, reachServer } from './front.ts';
import { HttpGateway } from './http-gateway.ts';

const report = async (): Promise<void> => undefined;

test('opens every door, or none', async () => {
  const { gateway, addresses } = await openDoors(
    { port: 1, doors: [{ address: '127.0.0.1', port: 0 }, { address: '::1', port: 0 }] }, // prettier-ignore
    report,
  );
  expect(addresses).toEqual([
    expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    expect.stringMatching(/^http:\/\/\[::1\]:\d+$/),
  ]);
  const taken = Number(addresses[0]?.split(':').at(-1));
  await expect(openDoors({ port: 1, doors: [{ address: '127.0.0.1', port: taken }] }, report)).rejects.toMatchObject({
    code: 'PORT_IN_USE',
  });
  await expect(openDoors({ port: 1, doors: [{ address: '203.0.113.1', port: 0 }] }, report)).rejects.toMatchObject({
    code: 'GATEWAY_ADDRESS',
  });
  await gateway.close();
  const again = createServer();
  await new Promise<void>((resolve) => {
    again.listen(taken, '127.0.0.1', resolve);
  });
  again.close();
});

test('a container without an address is told of', async () => {
  const gateway = new HttpGateway(report);
  const engine = { inspectRaw: async () => ({ NetworkSettings: { Networks: { none: { IPAddress: '' } } } }) };
  await expect(reachServer(gateway, engine, 'c', 80)).rejects.toMatchObject({ code: 'GATEWAY_ADDRESS' });
});
