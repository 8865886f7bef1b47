import { UcpError } from '../core/errors.ts';
import { type Connection, isNotFound } from './connection.ts';
import type { HealthcheckFacts, ImageFacts, PullProgress } from './engine.ts';

/** The image's facts, or undefined when the engine does not have it. */
export async function inspectImage(connection: Connection, reference: string): Promise<ImageFacts | undefined> {
  try {
    const info = await connection.do({ doing: 'inspect the image', image: reference }, (docker) =>
      docker.getImage(reference).inspect(),
    );
    return imageFacts(info);
  } catch (error) {
    if (error instanceof UcpError && isNotFound(error)) return undefined;
    throw error;
  }
}

/** What UCP reads of an inspected image. */
export interface InspectedImage {
  readonly Id: string;
  readonly RepoDigests?: readonly string[] | null;
  readonly Os: string;
  readonly Architecture: string;
  readonly Config: {
    readonly Entrypoint?: string | readonly string[] | null;
    readonly Cmd?: readonly string[] | null;
    readonly Env?: readonly string[] | null;
    readonly User?: string;
    readonly WorkingDir?: string;
    readonly Labels?: Readonly<Record<string, string>> | null;
    readonly Volumes?: object | null;
    readonly StopSignal?: string;
    readonly Healthcheck?: HealthcheckFacts;
  };
}

/** The facts in the engine's answer. */
export function imageFacts(info: InspectedImage): ImageFacts {
  const { Entrypoint, Cmd, Env, Labels, Volumes, StopSignal, Healthcheck, ...config } = info.Config;
  const repoDigest = info.RepoDigests?.[0]?.replace(/^.*@/, '');
  return {
    id: info.Id,
    ...(repoDigest ? { repoDigest } : {}),
    entrypoint: list(Entrypoint),
    cmd: list(Cmd),
    env: list(Env),
    user: config.User ?? '',
    workdir: config.WorkingDir ?? '',
    labels: Labels ?? {},
    volumes: Object.keys(Volumes ?? {}),
    ...(StopSignal ? { stopSignal: StopSignal } : {}),
    ...(Healthcheck ? { healthcheck: Healthcheck } : {}),
    platform: `${info.Os}/${info.Architecture}`,
  };
}

function list(value: string | readonly string[] | null | undefined): readonly string[] {
  return typeof value === 'string' ? [value] : (value ?? []);
}

interface PullLine {
  readonly status?: string;
  readonly id?: string;
  readonly progressDetail?: { readonly current?: number; readonly total?: number };
  readonly error?: string;
}

/** Pulls `reference` (tag `latest` unless it names one), with the credentials of docker's config.json. */
export async function pullImage(
  connection: Connection,
  reference: string,
  platform: string | undefined,
  progress: (step: PullProgress) => void,
): Promise<void> {
  try {
    await connection.do({ doing: `pull ${reference}`, image: reference }, async (docker) => {
      const { registryAuth } = await import('./registry-auth.ts');
      const authconfig = await registryAuth(reference, process.env);
      const options = { ...(platform ? { platform } : {}), ...(authconfig ? { authconfig } : {}) };
      await followPull(await docker.pull(reference, options), progress);
    });
  } catch (error) {
    // What has no code of its own here is the network or the registry.
    if (!(error instanceof UcpError) || !GENERIC.has(error.code)) throw error;
    const words = error.message.replace(/^The Docker engine would not pull \S+: /, '');
    throw new UcpError(
      'IMAGE_PULL_FAILED',
      `The image ${reference} is not on this engine and could not be pulled: ${words}`,
      {
        cause: error,
      },
    );
  }
}

const GENERIC = new Set(['ENGINE_REFUSED', 'ENGINE_FAILED']);

/** Reads the engine's pull stream, JSON lines, to its end; rejects with the error it reports. */
export async function followPull(
  stream: AsyncIterable<Buffer | string>,
  progress: (step: PullProgress) => void,
): Promise<void> {
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) report(line, progress);
  }
  report(rest, progress);
}

function report(line: string, progress: (step: PullProgress) => void): void {
  if (line.trim() === '') return;
  const step: PullLine = JSON.parse(line);
  // Coded by the caller, from the engine's own words.
  if (step.error !== undefined) throw new UpstreamError(step.error);
  const { current, total } = step.progressDetail ?? {};
  progress({
    status: step.status ?? '',
    ...(step.id === undefined ? {} : { id: step.id }),
    ...(current === undefined ? {} : { current }),
    ...(total === undefined ? {} : { total }),
  });
}

/** The engine's words on their way to engineError, which gives them a code. */
class UpstreamError extends Error {}
