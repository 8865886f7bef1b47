import type { PreparedRun } from '../../../sandbox/run/prepare.ts';
import { explainSpec } from '../../../sandbox/spec/explain.ts';
import type { Output } from '../../output.ts';
import { columns } from '../columns.ts';
import type { RunCommand } from './run-command.ts';

/** Prints what a run would be: plan and spec as JSON, or with `--explain` each field and who decided it. */
export function preview(run: PreparedRun, command: RunCommand, output: Output): void {
  const { spec } = run.compiled;
  if (!command.explain) {
    const document = { plan: run.plan, spec };
    output.answer(document, () => JSON.stringify(document, null, 2));
    return;
  }
  const rows = explainSpec(spec, run.plan, run.request);
  output.answer(rows, () =>
    columns(
      ['FIELD', 'VALUE', 'BY', 'SOURCE', 'WHY'],
      rows.map((row) => [row.field, row.value, row.by, row.source, row.reason]),
    ),
  );
}
