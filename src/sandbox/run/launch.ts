import { toUcpError } from '../../core/errors.ts';
import type { Attachment } from '../../engine/engine.ts';
import { assertUnchanged } from '../mounts/sources.ts';
import { abandon, type PreparedRun, type RunDeps } from './prepare.ts';

/**
 * Creates, attaches and starts the container; resolves with its id. Whatever fails, the control plane removes what there is of it; the error
 * is thrown when that is done.
 */
export async function launch(
  deps: RunDeps,
  run: PreparedRun,
  onAttached: (containerId: string, attachment: Attachment) => void,
  terminal?: { readonly columns: number; readonly rows: number },
): Promise<string> {
  const { client, plan, request, image } = run;
  try {
    const containerId = await deps.engine.create(run.compiled.spec);
    deps.timings.mark('container created');
    const { sandboxId } = plan;
    const imageDigest = image.repoDigest === undefined ? {} : { imageDigest: image.repoDigest };
    const size = terminal === undefined ? {} : { terminal };
    const told = client.call('created', { sandboxId, containerId, imageId: image.id, ...imageDigest, ...size });
    const streams = { stdin: request.interactive, tty: request.tty };
    const attaching = request.mode === 'attached' ? deps.engine.attach(containerId, streams) : undefined;
    const [attachment] = await Promise.all([attaching, told, assertUnchanged(run.sources)]);
    if (attachment !== undefined) onAttached(containerId, attachment);
    deps.timings.mark('container attached');
    await deps.engine.start(containerId);
    deps.timings.mark('container started');
    return containerId;
  } catch (thrown) {
    const error = toUcpError(thrown);
    await abandon(client, plan, error);
    throw error;
  }
}
