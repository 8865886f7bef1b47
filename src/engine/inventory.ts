import type { ContainerInfo, ImageInfo } from 'dockerode';

import type { Connection } from './connection.ts';
import { listedFacts } from './containers.ts';
import type { ContainerFacts } from './engine.ts';

/** A container of the engine's list, with what it is made of. */
export interface ListedContainer extends ContainerFacts {
  /** Id of its image. */
  readonly imageId: string;
  /** Paths of the host that it mounts. */
  readonly sources: readonly string[];
}

/** An image of the engine's list. */
export interface ListedImage {
  readonly id: string;
  readonly names: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly bytes: number;
}

/** All containers, whoever made them. */
export async function listContainers(connection: Connection): Promise<readonly ListedContainer[]> {
  const rows = await connection.do({ doing: 'list containers' }, (docker) => docker.listContainers({ all: true }));
  return rows.map((row: ContainerInfo) => ({
    ...listedFacts(row),
    imageId: row.ImageID,
    sources: row.Mounts.map(({ Source }) => Source),
  }));
}

/** Images that carry this label (`key=value`). */
export async function listImages(connection: Connection, label: string): Promise<readonly ListedImage[]> {
  const filters = JSON.stringify({ label: [label] });
  const rows = await connection.do({ doing: 'list images' }, (docker) => docker.listImages({ filters }));
  return rows.map(({ Id, RepoTags, Labels, Size }: ImageInfo) => ({
    id: Id,
    names: (RepoTags ?? []).filter((name) => name !== '<none>:<none>'),
    labels: Labels ?? {},
    bytes: Size,
  }));
}

/** Takes an image's name away, and the image with its last one; the engine refuses where a container uses it. */
export async function removeImage(connection: Connection, reference: string): Promise<void> {
  await connection.do({ doing: `remove the image ${reference}` }, (docker) => docker.getImage(reference).remove());
}

/** Removes a container that does not run, with its anonymous volumes; the engine refuses where it does. */
export async function removeEnded(connection: Connection, container: string): Promise<void> {
  const doing = 'remove the container';
  await connection.do({ doing, container }, (docker) => docker.getContainer(container).remove({ v: true }));
}
