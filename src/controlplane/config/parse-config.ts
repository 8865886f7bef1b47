import { LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';

import { UcpError } from '../../core/errors.ts';
import { Config } from './schema.ts';

/**
 * The configuration that `text` is. Throws CONFIG_INVALID, which names the line of the first fault; `name` is how the
 * message calls the file.
 */
export function parseConfig(text: string, name: string): Config {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const syntax = document.errors[0];
  if (syntax !== undefined) throw invalid(name, lines.linePos(syntax.pos[0]).line, syntax.message);
  const result = Config.safeParse(document.toJS() ?? {});
  if (result.success) return result.data;
  const { path, problem } = firstFault(result.error.issues);
  throw invalid(name, lineOf(path, document, lines), problem);
}

/** A misspelt key is also a missing one: its own line says more. Its issue names the parent. */
function firstFault(issues: readonly z.core.$ZodIssue[]): { path: readonly PropertyKey[]; problem: string } {
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const path = [...(issue?.path ?? []), ...unknown];
  const where = path.length === 0 ? 'the file' : path.map(String).join('.');
  return { path, problem: `${where}: ${issue?.message ?? 'invalid'}` };
}

function lineOf(path: readonly PropertyKey[], document: ReturnType<typeof parseDocument>, lines: LineCounter): number {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const node: unknown = document.getIn(path.slice(0, depth), true);
    if (typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range)) {
      return lines.linePos(Number(node.range[0])).line;
    }
  }
  return 1;
}

function invalid(name: string, line: number, problem: string): UcpError {
  return new UcpError('CONFIG_INVALID', `${name}, line ${line}: ${problem}.`, { details: { line } });
}
