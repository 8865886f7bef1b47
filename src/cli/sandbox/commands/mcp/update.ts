import type { ServerDefinition } from '../../../../sandbox/servers/definition.ts';
import { parsePackage } from '../../../../sandbox/packages/package-spec.ts';
import { ServerStore } from '../../../../sandbox/servers/store.ts';
import { describeChanges, toolChanges } from '../../../../sandbox/servers/tool-changes.ts';
import { EXIT } from '../../../exit-codes.ts';
import { printable } from '../../../output.ts';
import { confirmed } from '../confirm.ts';
import type { Local } from '../local.ts';
import { askServer } from './ask-server.ts';
import { packageImage } from './package-image.ts';
import { pinImage } from './pin.ts';

/**
 * `mcp update`: looks what the image's name means now, asks that server for its tools, shows what would change, and pins
 * it when the user agrees. Exit code 1 when there is something new and it was not pinned.
 */
export async function update(local: Local, name: string, options: { readonly yes: boolean }): Promise<number> {
  const { host, output } = local;
  const store = new ServerStore(host.env, host.home);
  const old = store.read(name);
  const image = await imageOfToday(local, old);
  const pin = await pinImage(host, image, { fresh: old.digest !== undefined });
  if (pin.id === old.id) {
    output.answer({ name, id: old.id, changed: false }, () => `${name} is up to date.`);
    return EXIT.ok;
  }
  const { tools: before = [], digest: _, ...kept } = old;
  const unchecked: ServerDefinition = { ...kept, image, ...pin, pinnedAt: new Date().toISOString() };
  const { tools } = await askServer(host, name, unchecked);
  const changes = toolChanges(before, tools);
  const lines = changes.length === 0 ? ['The tools stay the same.'] : describeChanges(changes);
  output.note(`${name}: ${old.id} becomes ${pin.id}`);
  for (const line of lines) output.note(printable(line));
  const pinned = options.yes || (await confirmed(host, 'Pin it?'));
  if (pinned) store.write(name, { ...unchecked, tools });
  output.answer({ name, from: old.id, id: pin.id, changed: true, changes, pinned }, () =>
    pinned ? `${name} is pinned anew.` : `${name} stays as it was; --yes pins it anew.`,
  );
  return pinned ? EXIT.ok : EXIT.failed;
}

/** The name to look for: a package's image is named after its version. */
async function imageOfToday(local: Local, old: ServerDefinition): Promise<string> {
  const spec = old.package === undefined ? undefined : parsePackage(old.package.spec);
  if (spec === undefined) return old.image;
  return (await packageImage(local, spec, old.package ?? {})).image;
}
