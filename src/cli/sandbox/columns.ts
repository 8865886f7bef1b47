import { printable } from '../output.ts';

/** Rows below a header as aligned columns, for people. */
export function columns(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = [header, ...rows.map((row) => row.map(printable))];
  const widths = header.map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length)));
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
