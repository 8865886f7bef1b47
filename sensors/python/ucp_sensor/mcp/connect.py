"""``http_servers`` and ``stdio_servers``: refuses a connection before it is made."""

from typing import Any

from ..policy.mcp import finding_of
from ..sensor import Sensor
from .conversation import Conversation
from .denial import Refusal
from .refuse import error_of


def judge_connection(sensor: Sensor, server: str, transport: str, decide: Any) -> None:
    """Raises the SDK's own error when policy refuses. ``decide`` gets the rules and returns a decision."""
    refusal = _refusal(sensor, server, transport, decide)
    if refusal is not None:
        raise error_of(refusal)


def _refusal(sensor: Sensor, server: str, transport: str, decide: Any) -> "Refusal | None":
    rules = None
    try:
        rules = sensor.mcp()
        if rules is None or not rules.watches("client"):
            return None
        conversation = Conversation(sensor)
        conversation.server, conversation.transport = server, transport
        finding = finding_of(decide(rules))
        return None if finding is None else conversation.found("connect", None, finding, "client")
    except Exception as error:
        if rules is None or not rules.fails_closed("client"):
            sensor.report("mcp connect", error)
            return None
        return Conversation(sensor).failed(rules, "connect", "client", error)


def authenticated(headers: Any, auth: Any) -> bool:
    """Whether a client will present credentials: a header for them, or an authentication object."""
    if auth is not None:
        return True
    try:
        names = {str(name).lower() for name in dict(headers or {})}
    except (TypeError, ValueError):
        return False
    return bool(names & {"authorization", "x-api-key", "api-key"})
