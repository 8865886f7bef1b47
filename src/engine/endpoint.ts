import { UcpError } from '../core/errors.ts';

/** TLS material of a tcp endpoint, PEM bytes. */
export interface EndpointTls {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly verify: boolean;
}

/** Where an engine listens. `text` is what messages call it. */
export type Endpoint =
  | { readonly kind: 'unix'; readonly path: string; readonly text: string }
  | {
      readonly kind: 'tcp';
      readonly host: string;
      readonly port: number;
      readonly tls?: EndpointTls;
      readonly text: string;
    };

/** The parts of the host that choose an endpoint; a seam for tests. */
export interface EndpointHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The file's bytes; undefined when it does not exist. */
  read(path: string): Buffer | undefined;
  exists(path: string): boolean;
}

/** Where the engine listens unless somebody says otherwise. */
export const DEFAULT_SOCKET = '/var/run/docker.sock';
const PLAIN_PORT = 2375;
const TLS_PORT = 2376;

/** Parses `unix://PATH` or `tcp://HOST[:PORT]`; anything else is ENGINE_ENDPOINT, by name. */
export function parseEndpoint(address: string, tls: EndpointTls | undefined): Endpoint {
  if (/^unix:\/\/(?:\/|$)/.test(address)) {
    const path = address.slice('unix://'.length) || DEFAULT_SOCKET;
    return { kind: 'unix', path, text: `unix://${path}` };
  }
  const url = parseUrl(address);
  const secure = tls ?? impliedTls(url);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(url.port) || (secure ? TLS_PORT : PLAIN_PORT);
  return { kind: 'tcp', host, port, text: `tcp://${url.hostname}:${port}`, ...(secure ? { tls: secure } : {}) };
}

/** Docker speaks TLS on https addresses and on port 2376 without being told. */
function impliedTls(url: URL): EndpointTls | undefined {
  return url.protocol === 'https:' || url.port === String(TLS_PORT) ? { verify: true } : undefined;
}

function parseUrl(address: string): URL {
  const url = URL.parse(address.includes('://') ? address : `tcp://${address}`);
  if (url !== null && url.hostname !== '' && ['tcp:', 'http:', 'https:'].includes(url.protocol)) return url;
  const ssh = url?.protocol === 'ssh:';
  const hint = ssh ? ' For ssh, forward the socket: `ssh -L /tmp/docker.sock:/var/run/docker.sock HOST`.' : '';
  throw new UcpError(
    'ENGINE_ENDPOINT',
    `The engine's address ${JSON.stringify(address)} is not supported: expected unix:///PATH or tcp://HOST:PORT.${hint}`,
  );
}
