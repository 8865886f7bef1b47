import { Command } from 'commander';

import { EXIT } from '../../exit-codes.ts';
import { type Cli, lines, verb } from '../cli.ts';
import { readPolicy } from '../files.ts';
import { chapters } from '../meaning/chapters.ts';
import { type Change, diff, type Effect } from '../meaning/diff.ts';

const HEADINGS: Readonly<Record<Effect, string>> = {
  denied: 'Becomes denied',
  allowed: 'Becomes allowed',
  redacted: 'Becomes redacted',
  enforced: 'Becomes enforced',
  observed: 'Becomes observed only',
  off: 'Is switched off',
  changed: 'Changes',
};

/** `ucp-policy diff A B`: 0 the same meaning, 1 another one, 2 unreadable or not valid. */
export function command(cli: Cli): Command {
  const definition = new Command('diff')
    .description('Compare two policies by what they mean. Exit code: 0 the same, 1 different, 2 trouble.')
    .argument('<a>', 'policy file')
    .argument('<b>', 'policy file');
  return verb(
    cli,
    definition,
    ([a = '', b = ''], _options, output) => {
      const [before, after] = [readPolicy(a).policy, readPolicy(b).policy];
      const changes = diff(chapters(before), chapters(after));
      output.answer({ same: changes.length === 0, changes }, () =>
        changes.length === 0 ? lines(`${a} and ${b} mean the same.`) : lines(report(changes)),
      );
      return changes.length === 0 ? EXIT.ok : EXIT.failed;
    },
    EXIT.usage,
  );
}

function report(changes: readonly Change[]): string {
  const groups = Object.entries(HEADINGS).map(([effect, heading]) => {
    const found = changes.filter((change) => change.effect === effect);
    return found.length === 0 ? [] : [[`${heading}:`, ...found.map(describe)].join('\n')];
  });
  return groups.flat().join('\n\n');
}

function describe({ chapter, subject, from, to, pointer }: Change): string {
  const change = from === undefined ? '' : `: ${from} -> ${to}`;
  return `  ${chapter}: ${subject}${change} (${pointer})`;
}
