import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';

import type { Connection } from './connection.ts';

/** How the names of containers begin that are filled to become images. */
export const FILLED = 'ucp-build-';

/** An image that is another one with files added; nothing of either runs. */
export interface LayerSpec {
  /** Id of the image below. */
  readonly base: string;
  /** `NAME:TAG` of the new one. */
  readonly reference: string;
  /** Begins a tar of the files, with their paths from the root. */
  files(): Readable;
  readonly entrypoint: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  /** Labels of the container that is filled: whoever finds it later knows whose it was. */
  readonly containerLabels: Readonly<Record<string, string>>;
}

/** Makes the image and resolves with its id: a container that never starts is filled and committed. */
export async function addLayer(connection: Connection, spec: LayerSpec): Promise<string> {
  const { base, reference, entrypoint, labels, containerLabels } = spec;
  return connection.do({ doing: `build ${reference}`, image: base }, async (docker) => {
    const container = await docker.createContainer({
      name: `${FILLED}${randomBytes(6).toString('hex')}`,
      Image: base,
      Cmd: ['-'],
      NetworkDisabled: true,
      Labels: containerLabels,
    });
    try {
      await container.putArchive(spec.files(), { path: '/' });
      const [repo, tag] = reference.split(':');
      const config = { Entrypoint: [...entrypoint], Cmd: [], Labels: labels };
      const made: { Id: string } = await container.commit({
        _query: { container: container.id, repo, tag },
        _body: config,
      });
      return made.Id;
    } finally {
      await container.remove({ force: true, v: true });
    }
  });
}
