"""Judges what a server lists: denied entries disappear, changed tools are told of."""

from typing import Any, NamedTuple

from ..policy.finding import Finding, Target
from ..policy.mcp import McpRules
from .conversation import Conversation
from .methods import LISTS
from .pins import ToolPins


class Listing(NamedTuple):
    """``keep``: for each list of the result in which something is hidden, which of its entries stay."""

    keep: "dict[str, list[bool]]"
    kept: int
    hidden: int

    def filtered(self, result: "dict[str, Any]") -> "dict[str, Any]":
        """``result`` without the hidden entries; the same object where nothing is hidden. Everything else stays: an
        empty page with a cursor is legal."""
        if not self.keep:
            return result
        lists = {
            key: [entry for entry, stays in zip(result[key], keep, strict=True) if stays]
            for key, keep in self.keep.items()
        }
        return {**result, **lists}


def judge_list(
    conversation: Conversation, rules: McpRules, side: str, result: "dict[str, Any]", pins: ToolPins
) -> Listing:
    """Goes by the shape of the result, as the JavaScript sensor does. ``pins``: those of the session that asks."""
    keep: dict[str, list[bool]] = {}
    kept = hidden = 0
    for key, _attributes, kind, name in LISTS:
        entries = result.get(key)
        if not isinstance(entries, list):
            continue
        whose = Target(side, kind, conversation.server, "")
        stays = [_stays(conversation, rules, whose, name, entry, pins) for entry in entries]
        kept += sum(stays)
        if not all(stays):
            keep[key] = stays
            hidden += len(stays) - sum(stays)
    return Listing(keep, kept, hidden)


def _stays(conversation: Conversation, rules: McpRules, kind: Target, name: str, entry: Any, pins: ToolPins) -> bool:
    named = entry.get(name) if isinstance(entry, dict) else None
    if not isinstance(named, str):
        return True
    target = kind._replace(name=named)
    finding = rules.entry(target)
    if finding is not None:
        conversation.found(f"{target.kind}s/list", target, finding, target.side)
        if finding.blocks:
            return False
    if target.kind != "tool":
        return True
    broken = _changed(conversation, rules, target, entry, pins)
    return broken is None or not broken.blocks


def _changed(
    conversation: Conversation, rules: McpRules, target: Target, entry: "dict[str, Any]", pins: ToolPins
) -> "Finding | None":
    change = pins.check(target.name, entry)
    if change is None:
        return None
    broken = rules.changed_tool(target)
    if not change.told:
        conversation.sensor.events.emit(
            "tool_definition_changed",
            "mcp",
            {**conversation.scene(target.side), "pinned": change.pinned, "now": change.now},
            {"gen_ai.tool.name": target.name, "mcp.server.name": target.server},
            None if broken is None else broken.violation,
            "WARN" if broken is None else None,
        )
    return broken
