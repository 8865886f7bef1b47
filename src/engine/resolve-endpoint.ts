import { configDir, contextEndpoint, currentContext, readPems } from './docker-config.ts';
import { DEFAULT_SOCKET, type Endpoint, type EndpointHost, type EndpointTls, parseEndpoint } from './endpoint.ts';

/**
 * The engine that docker's own rules choose: DOCKER_CONTEXT, DOCKER_HOST, the current context of config.json, the
 * default socket (then a rootless or Docker Desktop one). Throws ENGINE_ENDPOINT.
 */
export function resolveEndpoint(host: EndpointHost): Endpoint {
  const named = host.env['DOCKER_CONTEXT'] || undefined;
  if (named !== undefined && named !== 'default') return fromContext(host, named);
  const address = host.env['DOCKER_HOST'] || undefined;
  if (address !== undefined) return parseEndpoint(address, environmentTls(host));
  const current = named ?? currentContext(host) ?? 'default';
  if (current !== 'default') return fromContext(host, current);
  const path = defaultSockets(host).find((candidate) => host.exists(candidate)) ?? DEFAULT_SOCKET;
  return { kind: 'unix', path, text: `unix://${path}` };
}

function defaultSockets(host: EndpointHost): readonly string[] {
  const runtime = host.env['XDG_RUNTIME_DIR'];
  const rootless = runtime === undefined ? [] : [`${runtime}/docker.sock`];
  return [DEFAULT_SOCKET, ...rootless, `${host.home}/.docker/run/docker.sock`];
}

/** DOCKER_TLS_VERIFY, DOCKER_TLS and DOCKER_CERT_PATH, as docker reads them. */
function environmentTls(host: EndpointHost): EndpointTls | undefined {
  const verify = Boolean(host.env['DOCKER_TLS_VERIFY']);
  if (!verify && !host.env['DOCKER_TLS']) return undefined;
  return { verify, ...readPems(host, host.env['DOCKER_CERT_PATH'] ?? configDir(host)) };
}

function fromContext(host: EndpointHost, name: string): Endpoint {
  const context = contextEndpoint(host, name);
  return parseEndpoint(context.address, context.tls);
}
