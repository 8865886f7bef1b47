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
    else if (kind === 'tools') pin(conversation, target, entry);
    return finding?.action === 'blocked';
  });
}

/** A tool is what it was when it was first listed, or it is told that it isn't. */
function pin(conversation: Conversation, target: Target, tool: WireObject): void {
  const change = conversation.pins.check(target.name, tool);
  if (change === undefined || change.told) return;
  reportChange(conversation.sensor, conversation.scene(target.side), target.name, change);
}
