import { UcpError } from '../core/errors.ts';
import { field } from '../core/unknown.ts';
import type { EndpointHost, EndpointTls } from './endpoint.ts';

/** What a docker context says about its engine. */
export interface ContextEndpoint {
  readonly address: string;
  readonly tls: EndpointTls | undefined;
}

/** The directory of docker's own configuration. */
export function configDir(host: EndpointHost): string {
  return host.env['DOCKER_CONFIG'] ?? `${host.home}/.docker`;
}

/** The context that `docker context use` chose; undefined when none did. Throws ENGINE_ENDPOINT. */
export function currentContext(host: EndpointHost): string | undefined {
  const path = `${configDir(host)}/config.json`;
  const name = field(readJson(host, path), 'currentContext');
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/**
 * Reads docker's context store: `contexts/meta/<sha256 of the name>/meta.json` and, for TLS,
 * `contexts/tls/<sha256>/docker/*.pem`. Throws ENGINE_ENDPOINT when there is no such context.
 */
export function contextEndpoint(host: EndpointHost, name: string): ContextEndpoint {
  // Loaded where it is needed: most hosts have no contexts.
  const id = process.getBuiltinModule('node:crypto').hash('sha256', name, 'hex');
  const path = `${configDir(host)}/contexts/meta/${id}/meta.json`;
  const meta = readJson(host, path);
  const docker = field(field(meta, 'Endpoints'), 'docker');
  const address = field(docker, 'Host');
  if (typeof address !== 'string' || address === '') {
    const what = meta === undefined ? 'does not exist' : `names no engine in ${path}`;
    throw new UcpError(
      'ENGINE_ENDPOINT',
      `The docker context ${JSON.stringify(name)} ${what}: choose one of \`docker context ls\`.`,
    );
  }
  const skipVerify = field(docker, 'SkipTLSVerify') === true;
  const pems = readPems(host, `${configDir(host)}/contexts/tls/${id}/docker`);
  const secure = skipVerify || Object.keys(pems).length > 0;
  return { address, tls: secure ? { verify: !skipVerify, ...pems } : undefined };
}

/** `ca.pem`, `cert.pem` and `key.pem` of a directory, those that exist. */
export function readPems(host: EndpointHost, directory: string): Omit<EndpointTls, 'verify'> {
  const ca = host.read(`${directory}/ca.pem`);
  const cert = host.read(`${directory}/cert.pem`);
  const key = host.read(`${directory}/key.pem`);
  return { ...(ca ? { ca } : {}), ...(cert ? { cert } : {}), ...(key ? { key } : {}) };
}

function readJson(host: EndpointHost, path: string): unknown {
  const bytes = host.read(path);
  if (bytes === undefined) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new UcpError('ENGINE_ENDPOINT', `${path} is not JSON: correct it or set DOCKER_HOST.`, { cause });
  }
}
