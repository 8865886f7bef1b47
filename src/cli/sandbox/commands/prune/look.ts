import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { field } from '../../../../core/unknown.ts';
import { isHeld } from '../../../../sandbox/client/lease.ts';
import { BUILT, builderId } from '../../../../sandbox/packages/builder.ts';
import { entries, fetchedDirectories } from '../../../../sandbox/prune/directories.ts';
import type { Sight } from '../../../../sandbox/prune/leftovers.ts';
import type { NamedServer } from '../../../../sandbox/servers/store.ts';
import { ServerStore } from '../../../../sandbox/servers/store.ts';
import type { Session } from '../session.ts';

/** Looks at everything that may be left over. Removes nothing. */
export async function look({ host, engine, client }: Session): Promise<Sight> {
  const store = new ServerStore(host.env, host.home);
  const builder = builderId(store.dir);
  const report = await client.call('status', {});
  // Before the sandboxes are listed: one that is being made has its files first.
  const state = stateOf(report['state_dir']);
  const { sandboxes } = await client.call('list', { all: true });
  const known = new Set(sandboxes.map(({ sandboxId }) => sandboxId));
  // What users of the service left there is told by nobody; root looks after it.
  const mine = report['mode'] !== 'service' || process.getuid?.() === 0;
  const { definitions, unreadable } = readAll(store);
  const containers = await engine.everyContainer();
  const present = new Set<string>();
  for (const { definition } of definitions)
    if ((await engine.image(definition.id)) !== undefined) present.add(definition.id);
  return {
    sandboxes: mine ? sandboxes : [],
    state: mine && engine.endpoint.startsWith('unix:') ? without(state, known) : undefined,
    containers,
    images: await engine.labelledImages(`${BUILT.by}=${builder}`),
    builder,
    definitions,
    unreadable,
    present,
    directories: fetchedDirectories(Date.now()),
    isHeld,
  };
}

/** The state directory, its id, and the ids of sandboxes that have files there; undefined where others own it. */
function stateOf(dir: unknown): Sight['state'] {
  if (typeof dir !== 'string') return undefined;
  try {
    return { dir, owner: readFileSync(join(dir, 'owner'), 'utf8'), ids: entries(join(dir, 'sandboxes')) };
  } catch (error) {
    if (field(error, 'code') === 'ENOENT' || field(error, 'code') === 'EACCES') return undefined;
    throw error;
  }
}

function without(state: Sight['state'], known: ReadonlySet<string>): Sight['state'] {
  return state === undefined ? undefined : { ...state, ids: state.ids.filter((id) => !known.has(id)) };
}

function readAll(store: ServerStore): {
  readonly definitions: readonly NamedServer[];
  readonly unreadable: readonly string[];
} {
  const definitions: NamedServer[] = [];
  const unreadable: string[] = [];
  for (const name of store.names()) {
    try {
      definitions.push({ name, definition: store.read(name) });
    } catch {
      unreadable.push(name);
    }
  }
  return { definitions, unreadable };
}
