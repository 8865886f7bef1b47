"""``http_servers`` and ``stdio_servers``: refuses a connection before it is made."""

from typing import Any

from ..policy.decision import Decision
from ..policy.mcp import McpRules, finding_of
from ..sensor import Sensor
from .conversation import Conversation
from .refuse import error_of


def judge_connection(sensor: Sensor, server: str, transport: str, decide: Any) -> None:
    """Raises the SDK's own error when policy refuses. ``decide`` gets the rules and returns a decision."""
    rules = sensor.mcp()
    if rules is None or not rules.watches("client"):
        return
    conversation = Conversation(sensor)
    conversation.server, conversation.transport = server, transport
    finding = finding_of(_decision(sensor, rules, decide))
    refusal = None if finding is None else conversation.found("connect", None, finding, "client")
    if refusal is not None:
        raise error_of(refusal)


def _decision(sensor: Sensor, rules: McpRules, decide: Any) -> Decision:
    try:
        decision: Decision = decide(rules)
        return decision
    except Exception as error:
        sensor.report("mcp connect", error)
        refused = rules.fails_closed("client")
        message = "The connection could not be judged."
        return Decision(
            not refused, "enforce", "blocked" if refused else "allowed", refused, "/python_sensor/mcp", message
        )


def authenticated(headers: Any, auth: Any) -> bool:
    """Whether a client will present credentials: a header for them, or an authentication object."""
    if auth is not None:
        return True
    try:
        names = {str(name).lower() for name in dict(headers or {})}
    except (TypeError, ValueError):
        return False
    return bool(names & {"authorization", "x-api-key", "api-key"})
