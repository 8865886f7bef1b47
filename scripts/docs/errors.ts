import { ERRORS } from '../../src/core/error-codes/index.ts';

/** `docs/errors.md`. */
export function errorReference(): string {
  const entries = Object.entries(ERRORS).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const rows = entries.map(([code, { summary, remedy }]) => `| \`${code}\` | ${cell(summary)} | ${cell(remedy)} |`);
  return `# Errors

Generated from the table of codes by \`npm run docs\`. Codes are stable: one is never reused for another meaning. With
\`--json\`, the last line of stderr is the error as JSON, with its code, message, JSON pointer and details.

| code | what happened | what to do |
|---|---|---|
${rows.join('\n')}
`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|');
