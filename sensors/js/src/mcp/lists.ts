import { filterLists as filter } from '../../../../src/policy/mcp/lists.ts';
import type { Decider, Side, Target } from '../policy/decider.ts';
import type { Conversation } from './conversation.ts';
import { reportChange } from './report.ts';
import type { WireObject } from './wire.ts';

/** `result` without the entries that policy hides; tools that are listed are pinned. */
export function filterLists(conversation: Conversation, decider: Decider, side: Side, result: WireObject): WireObject {
  return filter(result, (kind, name, entry) => {
    const { target, finding } = decider.about(side, kind, conversation.identity.name, name);
    if (finding !== undefined) conversation.found(`${kind}/list`, target, finding, side);
    if (finding?.action === 'blocked') return true;
    return kind === 'tools' && hidesChanged(conversation, decider, target, entry);
  });
}

/** A tool is what it was when it was first listed, or it is told that it isn't; hidden where policy says so. */
function hidesChanged(conversation: Conversation, decider: Decider, target: Target, tool: WireObject): boolean {
  const change = conversation.pins.check(target.name, tool);
  if (change === undefined) return false;
  const finding = decider.changed(target);
  if (!change.told) {
    reportChange(conversation.sensor, conversation.scene(target.side), target.name, { ...change, finding });
  }
  return finding?.action === 'blocked';
}
