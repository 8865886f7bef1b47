"""Which MCP request caused what a program does: follows ``await``, tasks and threads that copy their context."""

from contextvars import ContextVar
from typing import Any

CAUSE: "ContextVar[dict[str, Any] | None]" = ContextVar("ucp_sensor_cause", default=None)


def cause_of(method: str, server: str, name: "str | None", request_id: Any) -> "dict[str, Any]":
    cause = {"mcp.method.name": method, "mcp.server.name": server, "jsonrpc.request.id": str(request_id)}
    if name is not None:
        from ..events.redact import redact_name  # With `re`, which no program should wait for at its start.

        cause["mcp.target.name"] = redact_name(name)
    return cause
