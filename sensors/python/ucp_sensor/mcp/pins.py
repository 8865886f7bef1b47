"""Definitions of tools as they were first listed in one conversation."""

import json
from typing import Any, NamedTuple


class Change(NamedTuple):
    """A tool whose definition is not the one that was listed first; ``told``: this very one was told before."""

    pinned: str
    now: str
    told: bool


def tool_digest(tool: "dict[str, Any]") -> str:
    """``sha256:<hex>`` of a definition, ``_meta`` apart (it may change with every listing)."""
    from hashlib import sha256

    definition = {key: value for key, value in tool.items() if key != "_meta"}
    text = json.dumps(definition, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


class ToolPins:
    def __init__(self) -> None:
        self._pinned: dict[str, str] = {}
        self._changed: dict[str, str] = {}

    def check(self, name: str, tool: "dict[str, Any]") -> "Change | None":
        """Pins a tool at its first sight; afterwards says whether it is another one now."""
        now = tool_digest(tool)
        pinned = self._pinned.setdefault(name, now)
        if pinned == now:
            self._changed.pop(name, None)
            return None
        told = self._changed.get(name) == now
        self._changed[name] = now
        return Change(pinned, now, told)

    def changed(self, name: str) -> bool:
        """Whether the tool was another one when it was last listed."""
        return name in self._changed
