import type { JsonValue } from '../../core/json.ts';

/** How a file is laid out. */
export interface Layout {
  readonly eol: '\n' | '\r\n';
  /** One step of indentation; '' in a file of one line. */
  readonly unit: string;
}

/** The layout of a text of JSON; two spaces where it does not say. */
export function layoutOf(text: string): Layout {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const json = text.trim();
  if (!json.includes('\n') && json.includes(':')) return { eol, unit: '' };
  return { eol, unit: /^([ \t]+)["/]/m.exec(text)?.[1] ?? '  ' };
}

/** `value` as text that begins at a place of this depth. */
export function render(value: JsonValue, depth: number, { eol, unit }: Layout): string {
  if (unit === '') return JSON.stringify(value);
  const lines = JSON.stringify(value, null, unit).split('\n');
  return lines.map((line, index) => (index === 0 ? line : unit.repeat(depth) + line)).join(eol);
}

/** A member of an object at this depth, without what separates it from others. */
export function member(key: string, value: JsonValue, depth: number, layout: Layout): string {
  const space = layout.unit === '' ? '' : ' ';
  return `${JSON.stringify(key)}:${space}${render(value, depth, layout)}`;
}
