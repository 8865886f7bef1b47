/** Host directories that belong to the host: neither they nor anything in them is mounted into a sandbox (FS-05). */
const SYSTEM = ['/proc', '/sys', '/dev', '/run', '/var/run', '/etc', '/boot'];

/** Directories in a home that hold credentials. */
const IN_HOME = ['.ssh', '.aws', '.gnupg', '.kube', '.docker', '.azure', '.config/gcloud'];

/** Sockets through which an engine would be commanded from inside. */
const SOCKETS = /(?:^|\/)(?:docker|containerd|podman|crio|buildkitd)\.sock$/;

/** What the host protects besides {@link SYSTEM}. Absolute paths. */
export interface HostPlaces {
  /** Home directories whose credentials are protected: the user's, root's. */
  readonly homes: readonly string[];
  /** Directories of policies, keys and state of UCP. */
  readonly own: readonly string[];
}

/** Resolves `.`, `..` and doubled slashes of an absolute path by its text alone. */
export function lexical(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  return `/${kept.join('/')}`;
}

/**
 * Why a host path may not be mounted, whatever policy and flags say, or undefined. A directory that has a protected
 * one in it is protected too: mounting `/home` would give away `~/.ssh`.
 */
export function protectedBy(source: string, places: HostPlaces): string | undefined {
  const path = lexical(source);
  if (path === '/') return 'the whole host';
  if (SOCKETS.test(path)) return 'the socket of a container engine';
  const credentials = places.homes.flatMap((home) => IN_HOME.map((name) => lexical(`${home}/${name}`)));
  const system = SYSTEM.find((directory) => touches(path, directory));
  if (system !== undefined) return `${system} of the host`;
  const secret = credentials.find((directory) => touches(path, directory));
  if (secret !== undefined) return `credentials in ${secret}`;
  const own = places.own.map(lexical).find((directory) => touches(path, directory));
  return own === undefined ? undefined : `policies, keys and state of UCP in ${own}`;
}

/** True when one path is the other or has it in it. */
function touches(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`) || directory.startsWith(`${path}/`);
}

/** Places in a container that a user's mount may not cover, and why. */
export function protectedTarget(target: string): string | undefined {
  const path = lexical(target);
  if (path === '/') return 'the root of the container';
  return ['/.ucp', '/proc', '/sys', '/dev'].find((place) => path === place || path.startsWith(`${place}/`));
}
