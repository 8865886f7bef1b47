/** Runtimes in which the text hook has no loader to hook. */
export type Platform = 'node' | 'bun' | 'deno' | 'electron';

/** Which runtime this is, by the versions that it claims. */
export function platformOf(versions: Readonly<Record<string, string | undefined>>): Platform {
  if (versions['bun'] !== undefined) return 'bun';
  if (versions['deno'] !== undefined) return 'deno';
  return versions['electron'] === undefined ? 'node' : 'electron';
}
