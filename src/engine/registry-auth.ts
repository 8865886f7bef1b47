import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';

/** Credentials as the engine's X-Registry-Auth header carries them. */
export interface RegistryAuth {
  readonly username?: string;
  readonly password?: string;
  readonly identitytoken?: string;
  readonly serveraddress: string;
}

/** The parts of docker's config.json that hold credentials. */
export interface DockerCredentials {
  readonly auths?: Readonly<Record<string, { readonly auth?: string; readonly identitytoken?: string }>>;
  readonly credsStore?: string;
  readonly credHelpers?: Readonly<Record<string, string>>;
}

const DOCKER_HUB = 'https://index.docker.io/v1/';

/** The registry an image name points to, as config.json writes it: a host is what has a dot, a colon or is localhost. */
export function registryOf(reference: string): string {
  const slash = reference.indexOf('/');
  const host = slash === -1 ? '' : reference.slice(0, slash);
  const isHost = host === 'localhost' || /[.:]/.test(host);
  return !isHost || host === 'docker.io' || host === 'index.docker.io' ? DOCKER_HUB : host;
}

/** What `docker login` stored for the image's registry; undefined when there is nothing usable. */
export async function registryAuth(
  reference: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<RegistryAuth | undefined> {
  const registry = registryOf(reference);
  let config: DockerCredentials;
  try {
    config = JSON.parse(await readFile(`${env['DOCKER_CONFIG'] ?? `${homedir()}/.docker`}/config.json`, 'utf8'));
  } catch {
    // No configuration: pull without credentials, the registry says if it wants any.
    return undefined;
  }
  const helper = config.credHelpers?.[registry] ?? config.credsStore;
  if (helper !== undefined) return askHelper(helper, registry);
  return storedAuth(config, registry);
}

/** Credentials that stand in config.json itself. */
export function storedAuth(config: DockerCredentials, registry: string): RegistryAuth | undefined {
  const entry = config.auths?.[registry] ?? config.auths?.[`https://${registry}`];
  if (entry?.identitytoken) return { identitytoken: entry.identitytoken, serveraddress: registry };
  if (!entry?.auth) return undefined;
  const [username = '', ...password] = Buffer.from(entry.auth, 'base64').toString('utf8').split(':');
  return { username, password: password.join(':'), serveraddress: registry };
}

async function askHelper(helper: string, registry: string): Promise<RegistryAuth | undefined> {
  return new Promise((resolve) => {
    const child = execFile(`docker-credential-${helper}`, ['get'], (error, stdout) => {
      if (error !== null) return resolve(undefined);
      const { Username, Secret }: { Username: string; Secret: string } = JSON.parse(stdout);
      const token = Username === '<token>';
      resolve({
        ...(token ? { identitytoken: Secret } : { username: Username, password: Secret }),
        serveraddress: registry,
      });
    });
    child.stdin?.end(registry);
  });
}
