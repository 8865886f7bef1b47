import { UcpError } from '../../../../core/errors.ts';
import { createEngine } from '../../../../engine/docker-engine.ts';
import type { ImageFacts } from '../../../../engine/engine.ts';
import type { CliHost } from '../../host.ts';
import { pullReporter } from '../../run/pull-reporter.ts';

/** Exactly which image a reference means. */
export interface Pin {
  readonly id: string;
  readonly digest?: string;
}

/** The image on the engine, fetched if it is missing or with `fresh`. Throws IMAGE_NOT_FOUND, IMAGE_PULL_FAILED. */
export async function pinImage(
  host: CliHost,
  reference: string,
  options: { readonly fresh: boolean; readonly platform?: string },
): Promise<Pin> {
  const engine = createEngine(host.env, host.home);
  let image = options.fresh ? undefined : await engine.image(reference);
  if (image === undefined) {
    await engine.pull(reference, options.platform, pullReporter(host.stderr, reference));
    image = await engine.image(reference);
  }
  if (image !== undefined) return pinOf(image);
  throw new UcpError('IMAGE_NOT_FOUND', `The image ${reference} is not on the engine although it was just pulled.`);
}

function pinOf({ id, repoDigest }: ImageFacts): Pin {
  return { id, ...(repoDigest === undefined ? {} : { digest: repoDigest }) };
}
