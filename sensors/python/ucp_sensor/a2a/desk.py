"""The card desk that the A2A hooks of a process share."""

from ..sensor import Sensor
from .cards import CardDesk

_desks: "dict[int, CardDesk]" = {}


def desk_of(sensor: Sensor) -> CardDesk:
    return _desks.setdefault(id(sensor), CardDesk(sensor))
