import { randomBytes } from 'node:crypto';

import type { ServerDefinition } from '../../../../sandbox/servers/definition.ts';

/**
 * The arguments of `run` that start a definition: the pinned image, a name of its own for each sandbox. An image of a
 * registry is named by its digest there, so that it can be fetched again; one of this engine alone by its id.
 */
export function runArguments(name: string, { flags, image, id, digest, command }: ServerDefinition): readonly string[] {
  const pinned = digest === undefined ? id : `${repository(image)}@${digest}`;
  return [
    '--mcp=stdio',
    '--rm',
    `--name=${name}-${randomBytes(4).toString('hex')}`,
    `--pull=${digest === undefined ? 'never' : 'missing'}`,
    ...flags,
    pinned,
    ...command,
  ];
}

/** `reference` without its tag and digest: a colon after the last slash begins a tag. */
function repository(reference: string): string {
  const [named = ''] = reference.split('@');
  const tag = named.indexOf(':', named.lastIndexOf('/') + 1);
  return tag === -1 ? named : named.slice(0, tag);
}
