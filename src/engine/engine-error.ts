import type { ErrorCode } from '../core/error-codes/index.ts';
import { UcpError } from '../core/errors.ts';
import { field } from '../core/unknown.ts';

/** What was being done when the engine failed: completes the message. */
export interface EngineContext {
  /** As messages call the engine: `unix:///var/run/docker.sock`. */
  readonly endpoint: string;
  /** `create the container`, `pull the image`, … */
  readonly doing: string;
  readonly image?: string;
  readonly container?: string;
}

interface Rule {
  readonly pattern: RegExp;
  readonly code: ErrorCode;
  readonly say: (words: RegExpMatchArray, context: EngineContext) => string;
}

/** What engines 20.10 to 29 say, most specific first. */
const RULES: readonly Rule[] = [
  {
    pattern: /container name "?\/?([^"\s]+)"? is already in use/i,
    code: 'NAME_IN_USE',
    say: ([, name]) =>
      `The name ${name} is in use by another container: choose another --name, or \`ucp-sandbox rm ${name}\`.`,
  },
  {
    pattern: /Bind for (\S+) failed: port is already allocated/i,
    code: 'PORT_IN_USE',
    say: ([, address]) => `The host port ${address} is in use by another container: choose another one for -p.`,
  },
  {
    pattern: /(?:listen \w+ (\S+): )?bind: address already in use/i,
    code: 'PORT_IN_USE',
    say: ([, address]) =>
      `The host port ${address ?? ''} is in use: choose another one for -p, or stop what listens there.`,
  },
  {
    pattern: /bind source path does not exist: (.+)$/i,
    code: 'MOUNT_SOURCE_MISSING',
    say: ([, path]) => `The mount source ${path} does not exist on the engine's host: create it or correct the path.`,
  },
  {
    pattern:
      /does not match the (?:specified|wanted) platform|no match for platform|no matching manifest|was found but does not provide the specified platform/i,
    code: 'IMAGE_PLATFORM',
    say: (_, { image }) =>
      `The image ${image ?? ''} does not exist for the platform asked for: leave out --platform or choose another.`,
  },
  {
    pattern: /unknown operating system or architecture|invalid platform|platform specifier/i,
    code: 'IMAGE_PLATFORM',
    say: ([words]) =>
      `The platform is not one that the engine knows (${words}): write it as os/arch, e.g. linux/arm64.`,
  },
  {
    pattern:
      /No such image|manifest unknown|manifest for \S+ not found|pull access denied|repository does not exist|name unknown/i,
    code: 'IMAGE_NOT_FOUND',
    say: (_, { image }) =>
      `The image ${image ?? ''} was not found: check its name and tag, build it, or \`docker login\` to its registry.`,
  },
  {
    pattern: /invalid reference format|invalid repository name|repository name must be/i,
    code: 'IMAGE_NOT_FOUND',
    say: ([words], { image }) =>
      `The image name ${JSON.stringify(image ?? '')} is malformed (${words}): write it as NAME[:TAG] or NAME@sha256:DIGEST.`,
  },
  {
    pattern: /No such container|No such exec/i,
    code: 'CONTAINER_NOT_FOUND',
    say: (_, { container }) => `There is no container ${container ?? ''}: \`ucp-sandbox ps --all\` lists them.`,
  },
  {
    pattern: /\bnetwork (\S+) not found/i,
    code: 'NETWORK_NOT_FOUND',
    say: ([, network]) =>
      `There is no network ${network}: \`docker network ls\` lists them, \`docker network create\` makes one.`,
  },
  {
    pattern: /Minimum memory limit allowed is \S+|Range of CPUs is from .*|Minimum memoryswap.*/i,
    code: 'LIMIT_REFUSED',
    say: ([words]) => `The engine cannot give that limit: ${words}.`,
  },
];

/** Codes of failed connections, see connect(2). */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'ENOTSOCK',
]);
const DENIED = new Set(['EACCES', 'EPERM']);

/** The coded error of anything that dockerode or the hijacked connection threw. */
export function engineError(thrown: unknown, context: EngineContext): UcpError {
  if (thrown instanceof UcpError) return thrown;
  const errno = field(thrown, 'code');
  if (typeof errno === 'string') return connectionError(errno, thrown, context);
  const words = engineWords(thrown);
  for (const { pattern, code, say } of RULES) {
    const match = words.match(pattern);
    if (match !== null) return new UcpError(code, say(match, context), { cause: thrown });
  }
  const status = field(thrown, 'statusCode');
  const refused = typeof status === 'number' && status < 500;
  return new UcpError(
    refused ? 'ENGINE_REFUSED' : 'ENGINE_FAILED',
    `The Docker engine would not ${context.doing}: ${words}`,
    { cause: thrown },
  );
}

function connectionError(errno: string, cause: unknown, { endpoint, doing }: EngineContext): UcpError {
  if (DENIED.has(errno)) {
    return new UcpError(
      'ENGINE_DENIED',
      `No permission on the Docker engine at ${endpoint}: join the group that owns the socket (usually docker) and log in again.`,
      { cause },
    );
  }
  if (UNREACHABLE.has(errno)) {
    return new UcpError(
      'ENGINE_UNREACHABLE',
      `No Docker engine answers at ${endpoint} (${errno}): start it, or set DOCKER_HOST or the docker context.`,
      { cause },
    );
  }
  return new UcpError(
    'ENGINE_UNREACHABLE',
    `The connection to the Docker engine at ${endpoint} broke (${errno}); it could not ${doing}.`,
    {
      cause,
    },
  );
}

/** The engine's own sentence: dockerode wraps it as `(HTTP code N) reason - sentence `. */
function engineWords(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return message
    .replace(/^\(HTTP code \d+\) .*? - /s, '')
    .replaceAll(/\s*\n\s*/g, ' ')
    .trim();
}
