import type { Decider, Side, Target } from '../policy/decider.ts';
import type { Conversation } from './conversation.ts';
import { LISTS } from '../../../../src/policy/mcp/methods.ts';
import { reportChange } from './report.ts';
import { isObject, stringAt, type WireObject } from './wire.ts';

/**
 * `result` without the entries that policy hides; the same object where nothing is hidden. Goes by the shape of the
 * result, not by the request: an answer that belongs to no known request is filtered too. Everything else of the
 * result (`nextCursor`, `ttlMs`, `_meta`) stays: an empty page with a cursor is legal.
 */
export function filterLists(conversation: Conversation, decider: Decider, side: Side, result: WireObject): WireObject {
  let filtered = result;
  for (const { key, kind, name } of LISTS) {
    const entries = result[key];
    if (!Array.isArray(entries)) continue;
    const kept = entries.filter((entry: unknown) => {
      const named = stringAt(entry, name);
      if (named === undefined || !isObject(entry)) return true;
      const { target, finding } = decider.about(side, kind, conversation.identity.name, named);
      if (finding !== undefined) conversation.found(`${kind}/list`, target, finding, side);
      else if (kind === 'tools') pin(conversation, target, entry);
      return finding?.action !== 'blocked';
    });
    if (kept.length !== entries.length) filtered = { ...filtered, [key]: kept };
  }
  return filtered;
}

/** A tool is what it was when it was first listed, or it is told that it isn't. */
function pin(conversation: Conversation, target: Target, tool: WireObject): void {
  const change = conversation.pins.check(target.name, tool);
  if (change === undefined || change.told) return;
  reportChange(conversation.sensor, conversation.scene(target.side), target.name, change);
}
