/** Rows as a Markdown table, padded so that it also reads well in a terminal. Numbers are right-aligned. */
export function table(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = rows.map((row) => row.map(String));
  const widths = header.map((title, column) =>
    Math.max(title.length, 3, ...cells.map((row) => (row[column] ?? '').length)),
  );
  const numeric = header.map((_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === 'number'));
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => (numeric[column] === true ? (row[column] ?? '').padStart(width) : (row[column] ?? '').padEnd(width))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => `${'-'.repeat(width + 1)}${numeric[column] === true ? ':' : '-'}`).join('|')}|`;
  return [line(header), rule, ...cells.map(line)].join('\n');
}

/** Milliseconds as a short text with a unit that keeps three significant digits. */
export function duration(ms: number): string {
  if (ms < 0.001) return `${(ms * 1e6).toPrecision(3)} ns`;
  if (ms < 1) return `${(ms * 1e3).toPrecision(3)} µs`;
  return ms < 1000 ? `${ms.toPrecision(3)} ms` : `${(ms / 1000).toPrecision(3)} s`;
}

/** A goal and whether it was reached: printed, and true when it was. */
export function goal(what: string, value: number, limit: number, unit = '×'): boolean {
  const reached = value <= limit;
  console.log(`${reached ? 'ok  ' : 'MISS'} ${what}: ${value.toPrecision(3)} ${unit} (goal ≤ ${limit} ${unit})`);
  return reached;
}
