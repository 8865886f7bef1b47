"""Which model call asked for a tool: the MCP call that follows in the same context says so."""

from contextvars import ContextVar

#: Tool name → (id of the ``llm_response`` event, the vendor's id of the tool call), of the latest answers.
_ASKED: "ContextVar[dict[str, tuple[str, str]] | None]" = ContextVar("ucp_sensor_tools_asked", default=None)

_MAX = 64


def remember(event_id: str, calls: "list[tuple[str, str]]") -> None:
    if calls:
        known = {**(_ASKED.get() or {}), **{name: (event_id, identity) for name, identity in calls}}
        _ASKED.set(dict(list(known.items())[-_MAX:]))


def asked_for(tool: str) -> "dict[str, str]":
    """Attributes of a call of ``tool``; empty when no model asked for it."""
    found = (_ASKED.get() or {}).get(tool)
    if found is None:
        return {}
    return {"ucp.llm.event.id": found[0], "gen_ai.tool.call.id": found[1]}
