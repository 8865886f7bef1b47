import { dirname, resolve } from 'node:path';

import { Command } from 'commander';

import { toUcpError, UcpError } from '../../../core/errors.ts';
import type { Policy } from '../../../policy/index.ts';
import { EXIT } from '../../exit-codes.ts';
import { type Cli, lines, verb } from '../cli.ts';
import { readInput, readPolicy } from '../files.ts';
import { ask } from '../query/ask.ts';
import { type Case, readTable } from '../query/table.ts';

const HELP = `
A table is YAML:

  policy: policy.json          # relative to the table; --policy overrides it
  cases:
    - exec: /usr/bin/curl      # a domain of ucp-policy check, and the question
      expect: denied           # allowed, denied, observed or redacted
      rule: /exec/deny_list/0  # optional: the rule that must have decided
      name: no downloads       # optional
    - tool: github/delete_repo
      args: { confirm: true }
      expect: denied
`;

/** What came of one case. */
interface Outcome {
  readonly name: string;
  readonly ok: boolean;
  readonly expected: { readonly verdict: string; readonly rule?: string };
  readonly got: { readonly verdict: string; readonly rule?: string; readonly message: string };
}

/** `ucp-policy test CASES`: TAP on stdout; 0 all as expected, 1 some not, 2 the table or the policy can't be read. */
export function command(cli: Cli): Command {
  const definition = new Command('test')
    .description('Ask a policy a table of questions. Answers in TAP, with --json in JSON.')
    .argument('<cases>', 'table of questions')
    .option('--policy <file>', 'policy file (default: the one that the table names)')
    .addHelpText('after', HELP);
  return verb<{ policy?: string }>(
    cli,
    definition,
    ([file = ''], { policy: named }, output) => {
      const table = readTable(readInput(file));
      const path = named ?? (table.policy === undefined ? undefined : resolve(dirname(file), table.policy));
      if (path === undefined)
        throw new UcpError('USAGE', `expected --policy FILE, or "policy" in ${file}; got neither`);
      const { policy } = readPolicy(path);
      const cases = table.cases.map((each) => judge(policy, each));
      const failed = cases.filter(({ ok }) => !ok).length;
      output.answer({ policy: path, passed: cases.length - failed, failed, cases }, () => tap(cases));
      return failed === 0 ? EXIT.ok : EXIT.failed;
    },
    EXIT.usage,
  );
}

function judge(policy: Policy, { name, query, expect, rule }: Case): Outcome {
  const got = answer(policy, query);
  return {
    name,
    ok: got.verdict === expect && (rule === undefined || got.rule === rule),
    expected: { verdict: expect, ...(rule === undefined ? {} : { rule }) },
    got,
  };
}

/** A question that has no answer is a failed case, not the end of the table. */
function answer(policy: Policy, query: Case['query']): Outcome['got'] {
  try {
    const { verdict, rule, message } = ask(policy, query);
    return { verdict, ...(rule === undefined ? {} : { rule }), message };
  } catch (thrown) {
    const { code, message } = toUcpError(thrown);
    return { verdict: code, message };
  }
}

function tap(cases: readonly Outcome[]): string {
  const results = cases.flatMap(({ name, ok, expected, got }, index) => {
    const title = name.replaceAll('#', String.raw`\#`).replaceAll(/\s+/g, ' ');
    const line = `${ok ? 'ok' : 'not ok'} ${index + 1} - ${title}`;
    if (ok) return [line];
    return [line, '  ---', `  expected: ${JSON.stringify(expected)}`, `  got: ${JSON.stringify(got)}`, '  ...'];
  });
  return lines('TAP version 14', `1..${cases.length}`, ...results);
}
