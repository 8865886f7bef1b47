"""Definitions of tools as they were first listed in one session."""

import json
from typing import Any, NamedTuple

#: Tools whose definitions are remembered; a server with more of them is not told of (src/policy/mcp/pins.ts).
MAX_TOOLS = 4096
#: Sessions of one server that are remembered; the one that was quiet the longest goes first, and pins anew.
MAX_SESSIONS = 1024


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
        if name not in self._pinned and len(self._pinned) >= MAX_TOOLS:
            return None
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


class SessionPins:
    """The pins of each session of a server; ``None`` stands for all requests that belong to no session."""

    def __init__(self) -> None:
        self._sessions: dict[str | None, ToolPins] = {}

    def of(self, session: "str | None") -> ToolPins:
        pins = self._sessions.pop(session, None) or ToolPins()
        if len(self._sessions) >= MAX_SESSIONS:
            quiet = next(known for known in self._sessions if known is not None)
            del self._sessions[quiet]
        self._sessions[session] = pins
        return pins
