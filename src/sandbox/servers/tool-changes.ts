import { isDeepStrictEqual } from 'node:util';

import type { JsonObject } from '../../core/json.ts';

/** How a tool differs between two pins; `fields` are those of a changed one. */
export interface ToolChange {
  readonly tool: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly fields: readonly { readonly field: string; readonly before: string; readonly after: string }[];
}

/** What becomes of the tools of a server, by name in the new order; removed ones last. */
export function toolChanges(before: readonly JsonObject[], after: readonly JsonObject[]): readonly ToolChange[] {
  const old = new Map(before.map((tool) => [nameOf(tool), tool]));
  const present = new Set(after.map(nameOf));
  const changes = after.flatMap((tool): ToolChange[] => {
    const name = nameOf(tool);
    const was = old.get(name);
    if (was === undefined) return [{ tool: name, change: 'added', fields: fieldChanges({}, tool) }];
    const fields = fieldChanges(was, tool);
    return fields.length === 0 ? [] : [{ tool: name, change: 'changed', fields }];
  });
  const gone = [...old.keys()].filter((name) => !present.has(name));
  return [...changes, ...gone.map((tool): ToolChange => ({ tool, change: 'removed', fields: [] }))];
}

/** The changes as lines for a person. */
export function describeChanges(changes: readonly ToolChange[]): readonly string[] {
  const sign = { added: '+', removed: '-', changed: '~' } as const;
  return changes.flatMap(({ tool, change, fields }) => [
    `${sign[change]} ${tool}`,
    ...fields.flatMap(({ field, before, after }) => [
      ...(before === '' ? [] : [`    - ${field}: ${before}`]),
      ...(after === '' ? [] : [`    + ${field}: ${after}`]),
    ]),
  ]);
}

/** A tool's name; '' for what has none. */
function nameOf(tool: JsonObject): string {
  return typeof tool['name'] === 'string' ? tool['name'] : '';
}

function fieldChanges(before: JsonObject, after: JsonObject): ToolChange['fields'] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => key !== 'name');
  return keys
    .filter((key) => !isDeepStrictEqual(before[key], after[key]))
    .map((key) => ({ field: key, before: shown(before[key]), after: shown(after[key]) }));
}

function shown(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
