"""Notifications of a server of ``mcp`` 2.x over HTTP in the era 2026-07-28: they go into the answer of the request they
belong to. A client sends none there."""

from types import ModuleType
from typing import Any

from ..load.wrap import wrap
from ..sensor import Sensor
from .conversation import SERVING
from .ends import End
from .notices import judging_notify


def install(sensor: Sensor, module: ModuleType) -> None:
    def serving(_sender: Any) -> "list[End | None]":
        conversation = SERVING.get()
        return [None if conversation is None else End("server", conversation)]

    context = module.__dict__["_SingleExchangeDispatchContext"]
    wrap(context, "notify", lambda original: judging_notify(sensor, original, serving))
