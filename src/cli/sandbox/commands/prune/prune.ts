import { rmSync } from 'node:fs';

import { toErrorRecord, toUcpError, UcpError } from '../../../../core/errors.ts';
import { type Leftover, leftovers } from '../../../../sandbox/prune/leftovers.ts';
import { ServerStore } from '../../../../sandbox/servers/store.ts';
import { EXIT } from '../../../exit-codes.ts';
import { columns } from '../../columns.ts';
import { confirmed } from '../confirm.ts';
import type { Session } from '../session.ts';
import { look } from './look.ts';

/** Options of `prune`. */
export interface PruneOptions {
  readonly dryRun: boolean;
  readonly force: boolean;
}

/** What became of each. */
type Outcome = Leftover & { readonly removed: boolean; readonly error?: ReturnType<typeof toErrorRecord> };

/**
 * `prune`: shows what is left over and why, and removes it when the user agrees. Exit code 1 when something stays that was
 * to go.
 */
export async function prune(session: Session, { dryRun, force }: PruneOptions): Promise<number> {
  const { host, output } = session;
  const found = leftovers(await look(session));
  if (!output.json) show(session, found);
  if (dryRun || found.length === 0) {
    const kept = found.map((one): Outcome => ({ ...one, removed: false }));
    if (output.json) output.answer(kept, () => '');
    return EXIT.ok;
  }
  const agreed = force || (!output.json && (await confirmed(host, `Remove ${found.length}?`)));
  const outcomes: Outcome[] = [];
  for (const one of found) outcomes.push(agreed ? await removed(session, one) : { ...one, removed: false });
  output.answer(outcomes, () => summary(outcomes, agreed));
  for (const { name, error } of outcomes) if (error !== undefined) output.note(`${name} stays: ${error.message}`);
  return outcomes.every((one) => one.removed) ? EXIT.ok : EXIT.failed;
}

function show({ host, output }: Session, found: readonly Leftover[]): void {
  if (found.length === 0) return output.note('Nothing is left over.');
  const rows = found.map(({ kind, name, reason }) => [kind, name, reason]);
  host.stdout.write(`${columns(['KIND', 'NAME', 'WHY'], rows)}\n`);
}

function summary(outcomes: readonly Outcome[], agreed: boolean): string {
  const done = outcomes.filter(({ removed: gone }) => gone).length;
  return agreed ? `Removed ${done} of ${outcomes.length}.` : 'Nothing was removed; --force removes it.';
}

async function removed(session: Session, one: Leftover): Promise<Outcome> {
  try {
    await remove(session, one);
    return { ...one, removed: true };
  } catch (thrown) {
    return { ...one, removed: false, error: toErrorRecord(toUcpError(thrown)) };
  }
}

/** Each by the way that refuses where it is in use by now. */
async function remove({ host, engine, client }: Session, { kind, id, name }: Leftover): Promise<void> {
  switch (kind) {
    case 'sandbox': {
      const { sandboxes } = await client.call('list', { all: false });
      if (sandboxes.some(({ sandboxId }) => sandboxId === id)) {
        throw new UcpError('SANDBOX_RUNNING', `The sandbox ${name} was started meanwhile.`);
      }
      await client.call('stop', { sandbox: id, grace: 0, remove: true });
      await client.call('settled', { name });
      return;
    }
    case 'container':
      return engine.removeEnded(id);
    case 'image':
      return engine.removeImage(id);
    case 'definition':
      return new ServerStore(host.env, host.home).remove(id);
    case 'directory':
      return rmSync(id, { recursive: true, force: true });
  }
}
