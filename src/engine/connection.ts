import { existsSync, readFileSync } from 'node:fs';

import Docker from 'dockerode';

import { field } from '../core/unknown.ts';
import type { Endpoint, EndpointHost } from './endpoint.ts';
import { type EngineContext, engineError } from './engine-error.ts';
import { resolveEndpoint } from './resolve-endpoint.ts';

/** One engine: dockerode on the endpoint, and every failure with a code. */
export class Connection {
  readonly endpoint: Endpoint;
  readonly docker: Docker;

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
    this.docker = new Docker(dockerOptions(endpoint));
  }

  /** Runs `work`; what it throws becomes a UcpError that knows what was being done. */
  async do<T>(context: Omit<EngineContext, 'endpoint'>, work: (docker: Docker) => Promise<T>): Promise<T> {
    try {
      return await work(this.docker);
    } catch (thrown) {
      throw engineError(thrown, { ...context, endpoint: this.endpoint.text });
    }
  }
}

/** A dockerode answer of status 404, after {@link engineError} wrapped it. */
export function isNotFound(thrown: unknown): boolean {
  return statusOf(thrown) === 404;
}

/** A dockerode answer of status 304 or 409: the container is in the wanted state already, or on its way there. */
export function isConflict(thrown: unknown): boolean {
  const status = statusOf(thrown);
  return status === 304 || status === 409;
}

function statusOf(thrown: unknown): unknown {
  return field(field(thrown, 'cause') ?? thrown, 'statusCode');
}

// `host: undefined` keeps docker-modem from preferring DOCKER_HOST to the endpoint that was resolved.
function dockerOptions(endpoint: Endpoint): Docker.DockerOptions {
  if (endpoint.kind === 'unix') return { socketPath: endpoint.path, host: undefined };
  const { host, port, tls } = endpoint;
  if (tls === undefined) return { host, port, protocol: 'http' };
  const { ca, cert, key, verify } = tls;
  const agent = verify
    ? {}
    : { agent: new (process.getBuiltinModule('node:https').Agent)({ rejectUnauthorized: false }) };
  return { host, port, protocol: 'https', ca, cert, key, ...agent };
}

/** The endpoint that this process's environment and the user's docker configuration choose. */
export function endpointOfHost(env: Readonly<Record<string, string | undefined>>, home: string): Endpoint {
  const host: EndpointHost = {
    env,
    home,
    exists: existsSync,
    read: (path) => (existsSync(path) ? readFileSync(path) : undefined),
  };
  return resolveEndpoint(host);
}
