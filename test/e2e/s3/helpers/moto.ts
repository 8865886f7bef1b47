import { join, resolve } from 'node:path';

import { execa } from 'execa';

import { until } from '../../helpers/docker.ts';
import { freePort } from '../../helpers/free-port.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');

/** The server reads who asks, and by default believes it. */
const AUTHORIZATION =
  'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=none';

/** A real S3 server (moto's), on the loopback. */
export interface Moto {
  readonly url: string;
  /** Sends a request as the bucket's owner; throws unless it is answered 2xx. */
  send(method: 'PUT' | 'POST' | 'DELETE', path: string, body?: string | Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** Makes its environment where that is missing, and starts it. */
export async function startMoto(): Promise<Moto> {
  await execa(join(ROOT, 'scripts/setup-moto.sh'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = execa(join(ROOT, '.cache/moto/bin/moto_server'), ['-H', '127.0.0.1', '-p', String(port)], {
    reject: false,
    stdio: 'ignore',
  });
  await until(
    'the S3 server answers',
    async () => (await fetch(`${url}/moto-api/`).catch(() => undefined))?.ok === true,
  );
  return {
    url,
    send: async (method, path, body) => {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: AUTHORIZATION },
        ...(body === undefined ? {} : { body }),
      });
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    },
    close: async () => {
      server.kill();
      await server;
    },
  };
}
