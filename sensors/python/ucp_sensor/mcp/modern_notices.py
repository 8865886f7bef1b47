"""Notifications of a server of ``mcp`` 2.x over HTTP in the era 2026-07-28: they go into the answer of the request they
belong to. A client sends none there."""

from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, wrap
from ..sensor import Sensor
from .conversation import SERVING
from .notices import judge_notice


def install(sensor: Sensor, module: ModuleType) -> None:
    def make(original: AnyFunction) -> AnyFunction:
        async def notify(self: Any, method: str, params: Any, *args: Any, **kwargs: Any) -> Any:
            conversation = SERVING.get()
            if conversation is not None:
                passes, params, _changed = judge_notice(sensor, conversation, "server", method, params)
                if not passes:
                    return None
            return await original(self, method, params, *args, **kwargs)

        return notify

    wrap(module.__dict__["_SingleExchangeDispatchContext"], "notify", make)
