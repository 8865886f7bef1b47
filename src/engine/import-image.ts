import { type Connection, isConflict, isNotFound } from './connection.ts';
import { followPull } from './images.ts';

/** Makes an image of one layer from the tar file at `path`; resolves when the engine has it under `reference`. */
export async function importImage(connection: Connection, path: string, reference: string): Promise<void> {
  const [repo, tag] = reference.split(':');
  await connection.do({ doing: `import ${path}`, image: reference }, async (docker) => {
    await followPull(await docker.importImage(path, { repo, tag }), () => undefined);
  });
}

/** Removes an image; one that is gone or in use is left as it is. */
export async function removeImage(connection: Connection, reference: string): Promise<void> {
  try {
    await connection.do({ doing: `remove ${reference}`, image: reference }, async (docker) =>
      docker.getImage(reference).remove(),
    );
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
