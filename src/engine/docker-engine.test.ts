import { createServer, type Server } from 'node:http';
import { once } from 'node:events';

import { afterEach, describe, expect, test } from 'vitest';

import { createEngine } from './docker-engine.ts';

let server: Server | undefined;
afterEach(() => server?.closeAllConnections());

/** An engine that gives each path a fixed answer. */
async function engineWith(answers: Record<string, [number, unknown]>): Promise<ReturnType<typeof createEngine>> {
  server = createServer((request, response) => {
    const [status, body] = answers[`${request.method} ${request.url?.split('?')[0]}`] ?? [
      404,
      { message: 'page not found' },
    ];
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return createEngine({ DOCKER_HOST: `tcp://127.0.0.1:${port}` }, '/nonexistent');
}

describe('the engine adapter', () => {
  test('an engine older than API 1.41 is refused with both versions', async () => {
    const engine = await engineWith({ 'GET /version': [200, { Version: '19.03', ApiVersion: '1.40' }] });
    await expect(engine.check()).rejects.toMatchObject({
      code: 'ENGINE_TOO_OLD',
      message: expect.stringMatching(/19\.03 \(API 1\.40\).*20\.10/),
    });
  });

  test('an image that is not there is undefined, not an error', async () => {
    const engine = await engineWith({ 'GET /images/a:1/json': [404, { message: 'No such image: a:1' }] });
    await expect(engine.image('a:1')).resolves.toBeUndefined();
  });

  test('a pull that fails in mid-stream has the code of its reason', async () => {
    const body = '{"status":"Pulling"}\n{"error":"manifest for a:1 not found: manifest unknown"}\n';
    const engine = await engineWith({ 'POST /images/create': [200, body] });
    await expect(engine.pull('a:1', undefined, () => undefined)).rejects.toMatchObject({ code: 'IMAGE_NOT_FOUND' });
  });

  test('a pull that the network broke says so', async () => {
    const words = 'Get "https://registry.example/v2/": dial tcp: no such host';
    const engine = await engineWith({ 'POST /images/create': [500, { message: words }] });
    await expect(engine.pull('a:1', undefined, () => undefined)).rejects.toMatchObject({
      code: 'IMAGE_PULL_FAILED',
      message: expect.stringContaining('no such host'),
    });
  });

  test('attaching to a container that is gone has a code', async () => {
    const engine = await engineWith({ 'POST /containers/x/attach': [404, { message: 'No such container: x' }] });
    await expect(engine.attach('x', { stdin: true, tty: false })).rejects.toMatchObject({
      code: 'CONTAINER_NOT_FOUND',
    });
  });

  test('removing what is gone and stopping what has stopped is success', async () => {
    const engine = await engineWith({
      'DELETE /containers/x': [404, { message: 'No such container: x' }],
      'POST /containers/x/stop': [304, ''],
    });
    await expect(engine.remove('x')).resolves.toBeUndefined();
    await expect(engine.stop('x', 1)).resolves.toBeUndefined();
  });

  test('an engine that is not there is unreachable, with its address', async () => {
    const engine = createEngine({ DOCKER_HOST: 'unix:///nonexistent/docker.sock' }, '/nonexistent');
    await expect(engine.check()).rejects.toMatchObject({
      code: 'ENGINE_UNREACHABLE',
      message: expect.stringContaining('unix:///nonexistent/docker.sock'),
    });
  });
});
