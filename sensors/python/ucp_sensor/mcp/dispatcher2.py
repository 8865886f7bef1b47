"""Notifications both ways on ``mcp`` 2.x over streams, and the requests that pass no session: those of a server, and
``subscriptions/listen`` of a client.

Can't see: conversations that were open before the sensor started.
"""

from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, wrap
from ..sensor import Sensor
from .ends import end_of, remembering
from .exchange import begin
from .notices import judge_notice, judging_notify
from .raw_exchange import run_raw


def install(sensor: Sensor, module: ModuleType) -> None:
    def make_arrived(original: AnyFunction) -> AnyFunction:
        def _dispatch_notification(self: Any, msg: Any, *args: Any, **kwargs: Any) -> Any:
            end = end_of(self)
            if end is not None:
                passes, params, changed = judge_notice(sensor, end.conversation, end.side, msg.method, msg.params)
                if not passes:
                    return None
                msg = msg.model_copy(update={"params": params}) if changed else msg
            return original(self, msg, *args, **kwargs)

        return _dispatch_notification

    dispatcher = module.__dict__["JSONRPCDispatcher"]
    wrap(dispatcher, "run", lambda original: remembering(sensor, original))
    wrap(dispatcher, "send_raw_request", lambda original: asking_raw(sensor, original))
    wrap(dispatcher, "notify", lambda original: judging_notify(sensor, original, lambda sender: [end_of(sender)]))
    wrap(dispatcher, "_dispatch_notification", make_arrived)


def asking_raw(sensor: Sensor, original: AnyFunction) -> AnyFunction:
    """A dispatcher's ``send_raw_request`` that judges what client2.py doesn't."""

    async def send_raw_request(self: Any, method: str, params: Any, *args: Any, **kwargs: Any) -> Any:
        end = end_of(self)
        # A client's other requests: client2.py.
        if end is None or (end.side == "client" and method != "subscriptions/listen"):
            return await original(self, method, params, *args, **kwargs)
        exchange = begin(sensor, "mcp dispatcher", lambda: method, True, lambda: end.conversation)
        if exchange is None:
            return await original(self, method, params, *args, **kwargs)
        return await run_raw(exchange, params, lambda passed: original(self, method, passed, *args, **kwargs))

    return send_raw_request
