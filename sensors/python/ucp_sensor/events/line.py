"""What goes to the control plane: one JSON object per line (src/core/sensor-protocol.ts, ``SensorLine``)."""

import json
from typing import Any, NamedTuple

SCOPE = "python_sensor"


#: Made once: ``json.dumps`` makes an encoder for every line.
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False).encode


class Violation(NamedTuple):
    """A rule that was broken and what came of it (src/core/events.ts, ``ViolationRef``)."""

    #: JSON pointer into the policy document.
    rule: str
    #: ``observe`` or ``enforce``.
    mode: str
    #: ``allowed``, ``blocked`` or ``redacted``.
    action: str
    message: str


class Event(NamedTuple):
    """An event as a hook writes it, with what the writer added."""

    id: str
    time: int
    name: str
    domain: str
    body: "dict[str, Any]"
    attributes: "dict[str, Any] | None"
    violation: "Violation | None"
    severity: "str | None"
    scope: str
    generation: int


def severity_of(event: Event) -> str:
    """The severity that a violation asks for; INFO without one (DESIGN 7)."""
    if event.severity is not None:
        return event.severity
    if event.violation is None:
        return "INFO"
    return "WARN" if event.violation.action == "allowed" else "ERROR"


def encode(event: Event, lost: int, pid: "int | None" = None) -> bytes:
    """The wire form; a body that can't be written as JSON is left out, not the event."""
    try:
        return _dump(event, event.body, event.attributes, lost, pid)
    except Exception:
        return _dump(event, {"unprintable": True}, None, lost, pid)


def _dump(
    event: Event, body: "dict[str, Any]", attributes: "dict[str, Any] | None", lost: int, pid: "int | None"
) -> bytes:
    line: dict[str, Any] = {
        "v": 1,
        "id": event.id,
        "time": event.time,
        "name": event.name,
        "domain": event.domain,
        "severity": severity_of(event),
        "scope": event.scope,
        "body": body,
        "generation": event.generation,
    }
    if attributes:
        line["attributes"] = attributes
    if event.violation is not None:
        line["violation"] = event.violation._asdict()
    if pid is not None:
        line["pid"] = pid
    if lost:
        line["lost"] = lost
    return _encode(line).encode() + b"\n"
