import { UcpError } from '../../core/errors.ts';
import type { RunRequest } from '../../core/run-request.ts';
import type { ImageFacts } from '../../engine/engine.ts';

/**
 * What the container runs, by docker's rules: an `--entrypoint` replaces the image's ENTRYPOINT and clears its CMD,
 * '' clears both; arguments replace CMD. Throws IMAGE_NO_COMMAND when nothing is left.
 */
export function workload(
  request: Pick<RunRequest, 'entrypoint' | 'command' | 'image'>,
  image: Pick<ImageFacts, 'entrypoint' | 'cmd'>,
): readonly string[] {
  const overridden = request.entrypoint !== undefined;
  const entrypoint = overridden ? [request.entrypoint].filter((program) => program !== '') : image.entrypoint;
  const imageCommand = overridden ? [] : image.cmd;
  const argv = [...entrypoint, ...(request.command.length > 0 ? request.command : imageCommand)];
  if (argv.length === 0) {
    throw new UcpError(
      'IMAGE_NO_COMMAND',
      `The image ${request.image} has no ENTRYPOINT or CMD: name the command after the image.`,
    );
  }
  return argv;
}
