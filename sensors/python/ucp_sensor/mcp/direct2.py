"""The same as dispatcher2.py for client and server in one process, where ``mcp`` 2.x has no streams: both ends' rules hold."""

from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, wrap
from ..sensor import Sensor
from .dispatcher2 import asking_raw
from .ends import end_of, remembering
from .notices import judge_notice


def install(sensor: Sensor, module: ModuleType) -> None:
    def make(original: AnyFunction) -> AnyFunction:
        async def _dispatch_notify(self: Any, method: str, params: Any) -> Any:
            for dispatcher in (getattr(self, "_peer", None), self):
                end = end_of(dispatcher)
                if end is None:
                    continue
                passes, params, _changed = judge_notice(sensor, end.conversation, end.side, method, params)
                if not passes:
                    return None
            return await original(self, method, params)

        return _dispatch_notify

    dispatcher = module.__dict__["DirectDispatcher"]
    wrap(dispatcher, "run", lambda original: remembering(sensor, original))
    wrap(dispatcher, "send_raw_request", lambda original: asking_raw(sensor, original))
    wrap(dispatcher, "_dispatch_notify", make)
