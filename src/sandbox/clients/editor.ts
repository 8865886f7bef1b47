import { isDeepStrictEqual } from 'node:util';

import { UcpError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';

/** Edits the servers in the text of one kind of file; everything else in it stays, comments, order and white space too. */
export interface Editor {
  /** The servers by name. Throws CLIENT_FILE_INVALID. */
  entries(text: string): Readonly<Record<string, JsonObject>>;
  /** Whether the table of servers is there, be it empty. */
  hasContainer(text: string): boolean;
  /** The text with one server more, or another one in its place. Throws CLIENT_FILE_INVALID. */
  set(text: string, name: string, entry: JsonObject): string;
  /** The text without that server; with `container` also without the table of servers when that is empty. */
  remove(text: string, name: string, options: { readonly container: boolean }): string;
}

/** Throws CLIENT_FILE_INVALID unless an edit did what it was to do and nothing else. */
export function assertEdited(
  before: JsonObject,
  after: JsonObject,
  container: string,
  edit: { readonly name: string; readonly entry: JsonObject | undefined },
): void {
  const { [container]: had = {}, ...othersBefore } = before;
  const { [container]: has = {}, ...othersAfter } = after;
  const { [edit.name]: _, ...rest } = Object(had);
  const expected = edit.entry === undefined ? rest : { ...rest, [edit.name]: edit.entry };
  if (isDeepStrictEqual({ ...othersBefore }, { ...othersAfter }) && isDeepStrictEqual(expected, { ...Object(has) }))
    return;
  throw invalid('its layout is one that cannot be changed safely');
}

/** A file that is left alone, and why. */
export function invalid(why: string, cause?: unknown): UcpError {
  return new UcpError('CLIENT_FILE_INVALID', `The file was left as it is: ${why}.`, { cause });
}
