import { existsSync } from 'node:fs';

import { UcpError } from '../../../../core/errors.ts';
import type { JsonObject } from '../../../../core/json.ts';
import { type Client, isSandboxed } from '../../../../sandbox/clients/catalog.ts';
import type { ClientFile } from '../../../../sandbox/clients/client-file.ts';
import { ServerStore } from '../../../../sandbox/servers/store.ts';
import { EXIT } from '../../../exit-codes.ts';
import { confirmed } from '../confirm.ts';
import type { Local } from '../local.ts';
import { add } from '../mcp/add.ts';
import { parseAdd } from '../mcp/parse-add.ts';
import { chosenClients, chosenFile, type Choice, launchOf } from './choice.ts';
import { type Wrapped, wrapEntry } from './wrap-entry.ts';

/** Options of `client import`. */
export interface ImportOptions extends Choice {
  readonly yes: boolean;
  readonly check: boolean;
  readonly base?: string;
  readonly registry?: string;
}

/** A server of a client, and what would become of it. */
interface Plan {
  readonly client: Client;
  readonly file: ClientFile;
  readonly name: string;
  readonly entry: JsonObject;
  readonly wrapped: Wrapped;
}

/**
 * `client import`: defines the servers that a client starts itself and lets it start them through ucp-sandbox. Shows
 * what would change first. Exit code 1 when something was left as it is.
 */
export async function importServers(local: Local, names: readonly string[], options: ImportOptions): Promise<number> {
  const { host, output } = local;
  const plans = chosenClients(host, names).flatMap((client) => plansOf(local, client, options));
  for (const plan of plans) for (const line of shown(local, plan, options)) output.note(line);
  const possible = plans.filter(({ wrapped }) => 'image' in wrapped);
  const agreed = possible.length > 0 && (options.yes || (await confirmed(host, 'Import?')));
  const done = agreed ? possible : [];
  for (const plan of done) await apply(local, plan, options);
  const answer = plans.map((plan) => ({
    client: plan.client.id,
    file: plan.file.path,
    server: plan.name,
    imported: done.includes(plan),
    ...('reason' in plan.wrapped ? { reason: plan.wrapped.reason } : {}),
  }));
  output.answer(answer, () => summary(plans, done.length));
  return done.length === plans.length ? EXIT.ok : EXIT.failed;
}

function summary(plans: readonly Plan[], done: number): string {
  if (plans.length === 0) return 'Every server is sandboxed already.';
  return done === 0 ? 'Nothing was changed; --yes imports.' : `Imported ${done} of ${plans.length}.`;
}

function plansOf({ host }: Local, client: Client, options: ImportOptions): readonly Plan[] {
  const file = chosenFile(host, client, options);
  const wanted = new Set(options.server);
  return Object.entries(file.entries() ?? {})
    .filter(([name, entry]) => !isSandboxed(entry) && (wanted.size === 0 || wanted.has(name)))
    .map(([name, entry]) => ({ client, file, name, entry, wrapped: wrappedOf(host, name, entry) }));
}

function wrappedOf(host: Local['host'], name: string, entry: JsonObject): Wrapped {
  if (new ServerStore(host.env, host.home).has(name)) return { reason: `there is a definition ${name} already` };
  return wrapEntry(entry, existsSync);
}

/** The entry with another command; all else that it says stays. */
function replacement({ host }: Local, { client, name, entry }: Plan, options: ImportOptions): JsonObject {
  return {
    ...entry,
    ...client.entry(launchOf(host, name, options)),
    ...('env' in entry ? { env: entry['env'] ?? {} } : {}),
  };
}

function addArguments({ name, wrapped }: Plan, options: ImportOptions): readonly string[] {
  if ('reason' in wrapped) return [];
  const isPackage = /^(?:npx|uvx):/.test(wrapped.image);
  const forPackage = [
    ...(options.base === undefined ? [] : [`--base=${options.base}`]),
    ...(options.registry === undefined ? [] : [`--registry=${options.registry}`]),
  ];
  const own = [...(isPackage ? forPackage : []), ...(options.check ? [] : ['--no-check'])];
  return [name, ...own, ...wrapped.flags, wrapped.image, ...wrapped.args];
}

function shown(local: Local, plan: Plan, options: ImportOptions): readonly string[] {
  const { client, file, name, wrapped } = plan;
  if ('reason' in wrapped) return [`${client.id}: ${name} stays as it is: ${wrapped.reason}`];
  const after = file.preview(new Map([[name, replacement(local, plan, options)]]));
  return [
    `${client.id}: ${name} (${file.path})`,
    `  ucp-sandbox mcp add ${addArguments(plan, options).join(' ')}`,
    ...changedLines(file.preview(new Map()), after),
  ];
}

async function apply(local: Local, plan: Plan, options: ImportOptions): Promise<void> {
  const parsed = parseAdd(addArguments(plan, options));
  if (parsed === undefined) throw new UcpError('USAGE', `The server ${plan.name} asks for help, not for a server.`);
  const { env } = local.host;
  // Its variables are in the client's file: the check starts the server as the client will.
  const values = Object.entries(Object(plan.entry['env'])).map(([key, value]) => [key, String(value)]);
  const host = { ...local.host, env: { ...env, ...Object.fromEntries(values) } };
  await add({ host, output: { ...local.output, answer: () => undefined } }, parsed);
  plan.file.set(plan.name, replacement(local, plan, options), { replace: true });
}

/** The lines that differ, as a diff shows them. */
function changedLines(before: string, after: string): readonly string[] {
  const [old, now] = [before.split(/\r?\n/), after.split(/\r?\n/)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  return [
    ...old.slice(start, old.length - end).map((text) => `- ${text}`),
    ...now.slice(start, now.length - end).map((text) => `+ ${text}`),
  ];
}
