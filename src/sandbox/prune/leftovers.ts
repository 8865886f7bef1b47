import { LABEL } from '../../core/labels.ts';
import type { SandboxStatus } from '../../core/protocol.ts';
import { FILLED } from '../../engine/layer.ts';
import type { ListedContainer, ListedImage } from '../../engine/inventory.ts';
import { BUILT } from '../packages/builder.ts';
import type { ServerDefinition } from '../servers/definition.ts';

/** Something that is of no use any more, and why. */
export interface Leftover {
  readonly kind: 'sandbox' | 'container' | 'image' | 'definition' | 'directory';
  /** As a person knows it. */
  readonly name: string;
  /** What it is removed by: sandbox id, container id, name of an image or a definition, path. */
  readonly id: string;
  readonly reason: string;
}

/** All that is looked at. */
export interface Sight {
  /** Sandboxes of the control plane; none where they are other people's too. */
  readonly sandboxes: readonly SandboxStatus[];
  /** The state directory and the id of its control plane; undefined where others own it, or the engine is elsewhere. */
  readonly state: { readonly dir: string; readonly owner: string; readonly ids: readonly string[] } | undefined;
  /** All containers of the engine. */
  readonly containers: readonly ListedContainer[];
  /** Images that this user's `mcp add` built. */
  readonly images: readonly ListedImage[];
  readonly builder: string;
  readonly definitions: readonly { readonly name: string; readonly definition: ServerDefinition }[];
  /** Names of definitions that cannot be read: what they need is unknown, so that every image may be. */
  readonly unreadable: readonly string[];
  /** Ids of the images of definitions that the engine has. */
  readonly present: ReadonlySet<string>;
  /** Directories of fetched packages that nobody works in any more. */
  readonly directories: readonly string[];
  /** Whether the process that a label `ucp.lease` names lives. */
  readonly isHeld: (lease: string) => boolean;
}

/** What of all that can go: ours, out of use, and of no use later. Pure. */
export function leftovers(sight: Sight): readonly Leftover[] {
  return [
    ...endedSandboxes(sight),
    ...orphans(sight),
    ...builds(sight),
    ...staleDefinitions(sight),
    ...unusedImages(sight),
    ...deadDirectories(sight),
  ];
}

function endedSandboxes({ sandboxes }: Sight): readonly Leftover[] {
  return sandboxes
    .filter(({ state, mode }) => state === 'exited' && mode === 'detached')
    .map(({ sandboxId, name, exitCode, createdAt }) => ({
      kind: 'sandbox',
      name,
      id: sandboxId,
      reason: `it ended with exit code ${exitCode ?? '?'}; made ${createdAt}`,
    }));
}

/** Of a control plane whose state directory was here and is another one now: nobody can start these under policy. */
function orphans({ state, containers }: Sight): readonly Leftover[] {
  if (state === undefined) return [];
  return containers
    .filter(({ labels, sources, state: now }) => {
      const ours = labels[LABEL.sandbox] !== undefined || labels[LABEL.helper] !== undefined;
      const here = sources.some((source) => source.startsWith(`${state.dir}/`));
      return ours && here && labels[LABEL.owner] !== state.owner && isOver(now);
    })
    .map(({ id, name }) => ({
      kind: 'container',
      name,
      id,
      reason: `its control plane's state was in ${state.dir} and is gone: no policy lets it start again`,
    }));
}

/** Containers that are filled to become images, left by an `mcp add` that was killed. */
function builds({ containers, builder, isHeld }: Sight): readonly Leftover[] {
  return containers
    .filter(({ name, labels, state }) => name.startsWith(FILLED) && labels[BUILT.by] === builder && state === 'created')
    .filter(({ labels }) => !isHeld(labels[BUILT.holder] ?? ''))
    .map(({ id, name }) => ({
      kind: 'container',
      name,
      id,
      reason: 'a package was being made into an image in it when that was interrupted',
    }));
}

/** Without its image, and with no registry or package to have it from again, a definition starts nothing. */
function staleDefinitions({ definitions, present }: Sight): readonly Leftover[] {
  return definitions
    .filter((one) => isStale(one.definition, present))
    .map(({ name, definition }) => ({
      kind: 'definition',
      name,
      id: name,
      reason: `its image ${definition.image} (${definition.id.slice(0, 19)}) is gone from this engine and came from no registry`,
    }));
}

function isStale({ id, digest, package: origin }: ServerDefinition, present: ReadonlySet<string>): boolean {
  return digest === undefined && origin === undefined && !present.has(id);
}

function unusedImages({ images, containers, definitions, unreadable }: Sight): readonly Leftover[] {
  if (unreadable.length > 0) return [];
  const used = new Set([
    ...containers.map(({ imageId }) => imageId),
    ...definitions.map(({ definition }) => definition.id),
  ]);
  return images
    .filter(({ id }) => !used.has(id))
    .flatMap(({ id, names, labels, bytes }) => {
      const title = labels['org.opencontainers.image.title'] ?? '';
      const version = labels['org.opencontainers.image.version'] ?? '';
      const reason = `${title} ${version}: no definition starts it (${Math.ceil(bytes / 1e6)} MB with its base)`;
      return (names.length === 0 ? [id] : names).map((name): Leftover => ({ kind: 'image', name, id: name, reason }));
    });
}

function deadDirectories({ state, containers, directories }: Sight): readonly Leftover[] {
  const mounted = containers.flatMap(({ sources }) => sources);
  const lost = (state?.ids ?? [])
    .map((id) => `${state?.dir}/sandboxes/${id}`)
    .filter((path) => !mounted.some((source) => source === path || source.startsWith(`${path}/`)))
    .map((path) => ({ path, reason: 'of a sandbox that is gone' }));
  const fetched = directories.map((path) => ({
    path,
    reason: 'a package was fetched into it, and that was interrupted',
  }));
  return [...lost, ...fetched].map(({ path, reason }) => ({ kind: 'directory', name: path, id: path, reason }));
}

function isOver(state: ListedContainer['state']): boolean {
  return state === 'exited' || state === 'dead' || state === 'created';
}
