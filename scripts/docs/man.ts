import { Command, type Option } from 'commander';

import { EXAMPLES, leaves, wordsOf } from '../../src/cli/examples.ts';
import { addVerbs } from '../../src/cli/policy/main.ts';
import { sandboxTree } from '../../src/cli/sandbox/program.ts';
import { ucpdTree } from '../../src/cli/ucpd/program.ts';
import { VERSION } from '../../src/core/version.ts';

const nothing = (): void => undefined;
const io = { env: {}, stdout: { write: nothing }, stderr: { write: nothing } };
const never = (): never => {
  throw new Error('nothing is run while the manual is written');
};

/** What the manual says besides the commands. */
const TEXTS: Readonly<
  Record<
    string,
    { readonly section: number; readonly about: string; readonly exits: readonly (readonly [string, string])[] }
  >
> = {
  'ucp-sandbox': {
    section: 1,
    about:
      'Runs container images under the signed policy of this host. The control plane, ucpd, decides each run; where none runs one is started for this user.',
    exits: [
      ['0, n', "the workload's own"],
      ['1', 'a command other than run failed, or its answer is no'],
      ['2', 'a command line that is not understood'],
      ['125', 'run: refused by us or by the engine'],
      ['126, 127', 'run: the entrypoint is not executable or denied; not found'],
      ['128+n', 'ended by signal n'],
    ],
  },
  ucpd: {
    section: 8,
    about:
      'Fetches, verifies and applies the signed policy, watches over the sandboxes of this host, and exports events.',
    exits: [
      ['0', 'done'],
      ['1', 'failed'],
      ['2', 'a command line that is not understood'],
    ],
  },
  'ucp-policy': {
    section: 1,
    about: 'For those who write policies: from a template to a published, signed document.',
    exits: [
      ['0', 'valid, allowed, the same'],
      ['1', 'not valid, denied, different'],
      ['2', 'a question or a file that is not understood'],
    ],
  },
};

const policy = new Command('ucp-policy').description('Write, check, sign and publish UCP policies.').version(VERSION);
await addVerbs(policy, { io, root: '', exitCode: 0 }, () => true);
const host = { ...io, home: '', ucpd: '' } as unknown as Parameters<typeof sandboxTree>[0];
const TREES = [
  sandboxTree(host, never, never),
  ucpdTree(host as unknown as Parameters<typeof ucpdTree>[0]),
  policy,
] as const;

/** The manual pages, by file name. */
export const MAN_PAGES: Readonly<Record<string, () => string>> = Object.fromEntries(
  TREES.map((tree) => [`${tree.name()}.${TEXTS[tree.name()]?.section}`, () => manPage(tree)]),
);

/** The manual page of a program. */
function manPage(tree: Command): string {
  const name = tree.name();
  const { section = 1, about = '', exits = [] } = TEXTS[name] ?? {};
  const others = TREES.filter((one) => one !== tree).map((one) => `.BR ${one.name()} (${TEXTS[one.name()]?.section})`);
  return [
    '.\\" Made from the command tree by `npm run docs`.',
    `.TH ${name.toUpperCase()} ${section} "" "UCP ${VERSION}" "UCP"`,
    '.SH NAME',
    `${roff(name)} \\- ${roff(tree.description().replace(/\.$/, ''))}`,
    '.SH SYNOPSIS',
    `.B ${roff(name)}`,
    '.I command',
    '[flags] [arguments]',
    '.SH DESCRIPTION',
    roff(about),
    '.SH COMMANDS',
    ...leaves(tree).flatMap(section2),
    '.SH EXIT STATUS',
    ...exits.flatMap(([code, meaning]) => ['.TP', `.B ${roff(code)}`, roff(meaning)]),
    '.SH SEE ALSO',
    others.join(',\n'),
    '',
  ].join('\n');
}

function section2(command: Command): readonly string[] {
  const help = command.createHelp();
  const words = wordsOf(command);
  return [
    `.SS ${roff(`${words} ${command.usage()}`)}`,
    roff(command.description()),
    ...help
      .visibleArguments(command)
      .filter(({ description }) => description !== '')
      .flatMap((argument) => entry(argument.name(), argument.description)),
    ...help.visibleOptions(command).flatMap((option: Option) => entry(option.flags, help.optionDescription(option))),
    '.PP',
    'For example:',
    '.PP',
    '.nf',
    ...(EXAMPLES[words] ?? []).map((line) => `    ${roff(line)}`),
    '.fi',
  ];
}

function entry(term: string, meaning: string): readonly string[] {
  return ['.TP', `.B ${roff(term)}`, roff(meaning)];
}

/** Text that roff prints as it is. */
function roff(text: string): string {
  const plain = text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('…', '...').replaceAll('\n', ' ');
  return /^[.']/.test(plain) ? `\\&${plain}` : plain;
}
