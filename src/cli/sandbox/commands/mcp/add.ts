import { UcpError } from '../../../../core/errors.ts';
import type { ServerFacts } from '../../../../sandbox/servers/ask-tools.ts';
import { DEFINITION_VERSION, type ServerDefinition } from '../../../../sandbox/servers/definition.ts';
import { ServerStore } from '../../../../sandbox/servers/store.ts';
import { parsePackage } from '../../../../sandbox/packages/package-spec.ts';
import type { Local } from '../local.ts';
import { askServer } from './ask-server.ts';
import { definitionFlags } from './definition-flags.ts';
import type { ParsedAdd } from './parse-add.ts';
import { packageImage, type PackageOptions } from './package-image.ts';
import { pinImage } from './pin.ts';

/** `mcp add`: pins the image, starts the server once to see that it works, and keeps the definition. */
export async function add(local: Local, { name, run, force, check, ...options }: ParsedAdd): Promise<void> {
  const { host, output } = local;
  const store = new ServerStore(host.env, host.home);
  if (store.has(name) && !force) {
    throw new UcpError('SERVER_EXISTS', `There is an MCP server ${name} already: --force replaces it.`);
  }
  // A name that can't be one is told before anything is fetched.
  store.file(name);
  const flags = definitionFlags(run, host.env);
  const platform = run.values.get('platform')?.at(-1);
  const { image, ...origin } = await imageOf(local, run.image, options);
  const pin = await pinImage(host, image, { fresh: false, ...(platform === undefined ? {} : { platform }) });
  const unchecked: ServerDefinition = {
    version: DEFINITION_VERSION,
    image,
    ...pin,
    flags,
    command: run.command,
    ...origin,
    pinnedAt: new Date().toISOString(),
  };
  const facts = check ? await askServer(host, name, unchecked) : undefined;
  const definition = facts === undefined ? unchecked : { ...unchecked, tools: facts.tools };
  store.write(name, definition);
  output.answer({ name, ...definition }, () => added(name, facts));
}

/** The image to pin: the one that was named, or that of a package. */
async function imageOf(
  local: Local,
  named: string,
  options: PackageOptions,
): Promise<Pick<ServerDefinition, 'image' | 'package'>> {
  const spec = parsePackage(named);
  const { base, registry } = options;
  if (spec !== undefined) {
    const built = await packageImage(local, spec, options);
    const origin = { spec: named, base: built.base, ...(registry === undefined ? {} : { registry }) };
    return { image: built.image, package: origin };
  }
  if (base === undefined && registry === undefined) return { image: named };
  throw new UcpError('USAGE', '--base and --registry are for packages: npx:NAME or uvx:NAME in place of IMAGE.');
}

function added(name: string, facts: ServerFacts | undefined): string {
  const tools = facts === undefined ? '' : ` (${facts.name} ${facts.version}, tools: ${facts.tools.length})`;
  return `Added ${name}${tools}.\nNext: ucp-sandbox client setup --server ${name}`;
}
