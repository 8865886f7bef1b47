"""Judges agent cards, and tells of them."""

import json
from collections import OrderedDict
from typing import Any

from ..policy.finding import Finding
from ..policy.mcp import finding_of
from ..sensor import Sensor

#: Verdicts that are remembered: the same card passes several hooks on its way and makes one event.
_MAX_SEEN = 64


class CardDesk:
    """One per process. A card is a pydantic model (0.3) or a protobuf message (1.x)."""

    def __init__(self, sensor: Sensor) -> None:
        self._sensor = sensor
        self._seen: OrderedDict[tuple[str, str], Finding | None] = OrderedDict()

    def judge(self, card: Any, side: str, where: str) -> "Finding | None":
        """The finding that refuses ``card``, or ``None``."""
        rules = self._sensor.cards()
        if rules is None or card is None:
            return None
        plain = plain_card(card)
        key = (f"{self._sensor.generation} {side}", json.dumps(plain, sort_keys=True, default=str))
        if key in self._seen:
            return self._seen[key]
        finding = finding_of(rules.decide(plain))
        self._tell(plain, side, where, finding)
        refused = finding if finding is not None and finding.blocks else None
        self._seen[key] = refused
        while len(self._seen) > _MAX_SEEN:
            self._seen.popitem(last=False)
        return refused

    def _tell(self, card: "dict[str, Any]", side: str, where: str, finding: "Finding | None") -> None:
        attributes = {"gen_ai.agent.name": card["name"], "gen_ai.agent.version": card["version"]}
        body = {"side": side, "where": where, "skills": len(card["skills"])}
        events = self._sensor.events
        events.emit("a2a_agent_card", "a2a", body, attributes)
        if finding is not None:
            body = {"side": side, "where": where, "message": finding.message}
            events.emit("a2a_violation", "a2a", body, attributes, finding.violation)


def plain_card(card: Any) -> "dict[str, Any]":
    """What is judged of a card, as JSON has it."""
    if isinstance(card, dict):

        def get(value: Any, name: str) -> Any:
            return value.get(name)
    else:

        def get(value: Any, name: str) -> Any:
            return getattr(value, name, None)

    skills = [
        {name: str(get(skill, name) or "") for name in ("id", "name", "description")}
        for skill in get(card, "skills") or []
    ]
    texts = {name: str(get(card, name) or "") for name in ("name", "description", "version")}
    return {**texts, "skills": skills}


def refusal(finding: Finding) -> Exception:
    """The SDK's own error for a card that can't be had: ``AgentCardResolutionError`` (1.x), ``A2AClientHTTPError``."""
    from a2a.client import errors

    modern = getattr(errors, "AgentCardResolutionError", None)
    if modern is not None:
        error: Exception = modern(finding.message, status_code=403)
    else:
        error = errors.A2AClientHTTPError(403, finding.message)
    return error
