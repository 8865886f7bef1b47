import type { Command } from 'commander';

/** Names that only this host knows, asked for when they are needed. */
export interface Names {
  sandboxes(): Promise<readonly string[]>;
  servers(): readonly string[];
  readonly clients: readonly string[];
  readonly shells: readonly string[];
}

/**
 * What may stand in place of the last of `words`, which may be empty: verbs, flags, names. Nothing for values of flags and
 * what follows an image: the shell offers files then.
 */
export async function candidates(root: Command, words: readonly string[], names: Names): Promise<readonly string[]> {
  const last = words.at(-1) ?? '';
  let command = root;
  let rest = words.slice(0, -1);
  for (let next = commandNamed(root, rest[0]); next !== undefined; next = commandNamed(command, rest[0])) {
    command = next;
    rest = rest.slice(1);
  }
  const asked = valueOf(command, rest.at(-1));
  const all =
    asked !== undefined
      ? valuesOf(asked, names)
      : last.startsWith('-')
        ? flagsOf(command)
        : await wordsOf(command, names);
  return all.filter((word) => word.startsWith(last)).toSorted();
}

function commandNamed(parent: Command, word: string | undefined): Command | undefined {
  return parent.commands.find((one) => one.name() === word || one.aliases().includes(word ?? ''));
}

/** The flag whose value comes next. */
function valueOf(command: Command, word: string | undefined): string | undefined {
  const option = command.options.find(({ long, short }) => word !== undefined && (word === long || word === short));
  return option === undefined || (!option.required && !option.optional) ? undefined : option.attributeName();
}

function valuesOf(flag: string, names: Names): readonly string[] {
  return flag === 'server' ? names.servers() : [];
}

function flagsOf(command: Command): readonly string[] {
  return [...command.options.flatMap(({ long }) => long ?? []), '--help'];
}

async function wordsOf(command: Command, names: Names): Promise<readonly string[]> {
  if (command.commands.length > 0) {
    return command.commands.map((one) => one.name()).filter((name) => !name.startsWith('_'));
  }
  const [argument] = command.registeredArguments;
  switch (argument?.name() ?? '') {
    case 'sandbox':
      return names.sandboxes();
    case 'name':
      return names.servers();
    case 'client':
      return names.clients;
    case 'shell':
      return names.shells;
    default:
      return [];
  }
}
