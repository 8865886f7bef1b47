import { request as httpRequest } from 'node:http';
import type { RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';

import { field } from '../core/unknown.ts';
import type { Endpoint } from './endpoint.ts';

/**
 * Opens a raw two-way stream by HTTP upgrade, for attach and exec. dockerode's own way writes the options as a body,
 * which the engine hands to the workload's stdin (dockerode#777), or never flushes its headers (dockerode#819).
 * Rejects with an error shaped like dockerode's (`statusCode`, message).
 */
export async function hijack(endpoint: Endpoint, path: string, body?: object): Promise<Duplex> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const options: RequestOptions = {
    ...target(endpoint),
    method: 'POST',
    path,
    // Never from the pool: the connection becomes the stream.
    agent: false,
    headers: {
      Connection: 'Upgrade',
      Upgrade: 'tcp',
      'Content-Type': 'application/json',
      'Content-Length': payload === undefined ? 0 : Buffer.byteLength(payload),
    },
  };
  const secure = endpoint.kind === 'tcp' && endpoint.tls !== undefined;
  // Loaded where it is needed: TLS costs every other start 8 ms.
  const start = secure ? process.getBuiltinModule('node:https').request : httpRequest;
  return new Promise((resolve, reject) => {
    const request = start(options);
    request.on('upgrade', (_response, socket, head) => {
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => reject(refusal(response.statusCode ?? 0, Buffer.concat(chunks).toString('utf8'))));
    });
    request.on('error', reject);
    request.end(payload);
  });
}

function target(endpoint: Endpoint): RequestOptions {
  if (endpoint.kind === 'unix') return { socketPath: endpoint.path, host: 'localhost' };
  const { host, port, tls } = endpoint;
  if (tls === undefined) return { host, port };
  const { ca, cert, key, verify } = tls;
  return { host, port, ca, cert, key, rejectUnauthorized: verify };
}

function refusal(statusCode: number, text: string): Error {
  let message = text.trim();
  try {
    const said = field(JSON.parse(text), 'message');
    if (typeof said === 'string') message = said;
  } catch {
    // Not JSON: the text itself is all there is.
  }
  return Object.assign(new Error(message), { statusCode });
}
