"""What MCP's methods mean to a sensor (the same table as sensors/js/src/mcp/methods.ts)."""

from typing import Any, NamedTuple

#: Requests that a server sends to a client (through 2025-11-25); all others go the other way.
TO_CLIENT = frozenset({"sampling/createMessage", "elicitation/create", "roots/list"})


class ListKey(NamedTuple):
    """Where a result lists entries: its key on the wire, the models' attribute names, and what names an entry."""

    key: str
    attributes: "tuple[str, ...]"
    kind: str
    name: str


LISTS = (
    ListKey("tools", ("tools",), "tool", "name"),
    ListKey("resources", ("resources",), "resource", "uri"),
    ListKey("resourceTemplates", ("resource_templates", "resourceTemplates"), "resource", "uriTemplate"),
    ListKey("prompts", ("prompts",), "prompt", "name"),
)

#: List requests and the result key that each answers with.
LIST_METHODS = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}

#: Name of the event that a finished request becomes.
EVENT_OF = {
    "initialize": "mcp_session_started",
    "server/discover": "mcp_session_started",
    "tools/call": "mcp_tool_call",
    "tools/list": "mcp_list",
    "resources/list": "mcp_list",
    "resources/templates/list": "mcp_list",
    "prompts/list": "mcp_list",
    "resources/read": "mcp_resource_read",
    "resources/subscribe": "mcp_resource_subscribe",
    "prompts/get": "mcp_prompt_get",
    "completion/complete": "mcp_completion",
    "sampling/createMessage": "mcp_sampling",
    "elicitation/create": "mcp_elicitation",
    "roots/list": "mcp_roots_list",
}


class Asked(NamedTuple):
    """``call``: argument patterns apply, too (a completion or subscription has no arguments of the target)."""

    kind: str
    name: str
    call: bool


_NAMED = {
    "tools/call": ("tool", "name", True),
    "prompts/get": ("prompt", "name", True),
    "resources/read": ("resource", "uri", True),
    "resources/subscribe": ("resource", "uri", False),
}


def side_of(method: str, out: bool) -> str:
    """The side that decides on a request going ``out`` or coming in."""
    return "server" if (method in TO_CLIENT) is out else "client"


def listens_to(method: str, params: "dict[str, Any]") -> "list[str]":
    """The resources that ``subscriptions/listen`` (2026-07-28) subscribes to, which is where ``resources/subscribe`` has
    gone; none for other methods, and where they can't be read: the SDK refuses such a request itself."""
    wanted = params.get("notifications") if method == "subscriptions/listen" else None
    uris = wanted.get("resourceSubscriptions") if isinstance(wanted, dict) else None
    return [uri for uri in uris if isinstance(uri, str)] if isinstance(uris, list) else []


def asked_by(method: str, params: "dict[str, Any]") -> "Asked | None":
    """What a request asks for, if it names a tool, resource or prompt."""
    if method == "completion/complete":
        ref = params.get("ref")
        if not isinstance(ref, dict):
            return None
        prompt = ref.get("type") == "ref/prompt"
        name = ref.get("name" if prompt else "uri")
        return Asked("prompt" if prompt else "resource", name, False) if isinstance(name, str) else None
    found = _NAMED.get(method)
    if found is None:
        return None
    kind, key, call = found
    name = params.get(key)
    return Asked(kind, name, call) if isinstance(name, str) else None
