import type { Connection } from './connection.ts';
import { followPull } from './images.ts';

/** Makes an image of one layer from the tar file at `path`; resolves when the engine has it under `reference`. */
export async function importImage(connection: Connection, path: string, reference: string): Promise<void> {
  const [repo, tag] = reference.split(':');
  await connection.do({ doing: `import ${path}`, image: reference }, async (docker) => {
    await followPull(await docker.importImage(path, { repo, tag }), () => undefined);
  });
}
