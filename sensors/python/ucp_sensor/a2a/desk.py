"""The card desk that the A2A hooks of a process share."""

from typing import Any

from ..policy.finding import Finding
from ..sensor import Sensor
from .cards import CardDesk

_desks: "dict[int, CardDesk]" = {}


def judge(sensor: Sensor, card: Any, side: str, where: str) -> "Finding | None":
    """The finding that refuses ``card``, or ``None``. Never raises."""
    try:
        return _desk_of(sensor).judge(card, side, where)
    except Exception as error:
        return _failed(sensor, error)


def _desk_of(sensor: Sensor) -> CardDesk:
    return _desks.setdefault(id(sensor), CardDesk(sensor))


def _failed(sensor: Sensor, error: BaseException) -> "Finding | None":
    """What is refused when the sensor itself failed (invariant 5: ``on_error``)."""
    sensor.report("a2a card", error)
    try:
        rules = sensor.cards()
    except Exception:  # It is what failed, and has been told of.
        return None
    if rules is None or not rules.fails_closed:
        return None
    message = "The agent card could not be judged and was refused."
    return Finding("/a2a", "enforce", "blocked", message, message)
