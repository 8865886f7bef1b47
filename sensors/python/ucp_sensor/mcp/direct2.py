"""The same as dispatcher2.py for client and server in one process, where ``mcp`` 2.x has no streams: both ends' rules hold."""

from types import ModuleType
from typing import Any

from ..load.wrap import wrap
from ..sensor import Sensor
from .dispatcher2 import asking_raw
from .ends import End, end_of, remembering
from .notices import judging_notify


def install(sensor: Sensor, module: ModuleType) -> None:
    def both(sender: Any) -> "list[End | None]":
        return [end_of(getattr(sender, "_peer", None)), end_of(sender)]

    dispatcher = module.__dict__["DirectDispatcher"]
    wrap(dispatcher, "run", lambda original: remembering(sensor, original))
    wrap(dispatcher, "send_raw_request", lambda original: asking_raw(sensor, original))
    wrap(dispatcher, "_dispatch_notify", lambda original: judging_notify(sensor, original, both))
