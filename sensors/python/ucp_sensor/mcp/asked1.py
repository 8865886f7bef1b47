"""What a server asks of a client on ``mcp`` 1.x, where the client answers (sampling, elicitation, roots)."""

from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, owned, wrap
from ..sensor import Sensor
from .client1 import session_conversation
from .denial import Refusal
from .exchange import Exchange
from .methods import side_of
from .refuse import error_data
from .typed_exchange import judge_respond, open_typed


def install(sensor: Sensor, module: ModuleType) -> None:
    def make(original: AnyFunction) -> AnyFunction:
        async def _received_request(self: Any, responder: Any) -> Any:
            exchange = _begin(sensor, self, responder)
            if exchange is None:
                return await original(self, responder)
            asked = open_typed(exchange, responder.request)
            if isinstance(asked, Refusal):
                with responder:
                    return await responder.respond(error_data(asked))
            responder.request = asked
            unheard = judge_respond(exchange, responder)
            if unheard is not None:
                with responder:
                    return await responder.respond(error_data(unheard))
            return await original(self, responder)

        return _received_request

    session = module.__dict__["ClientSession"]
    if owned(session, "_received_request"):  # 2.x: asked2.py.
        wrap(session, "_received_request", make)


def _begin(sensor: Sensor, session: Any, responder: Any) -> "Exchange | None":
    try:
        rules = sensor.mcp()
        method = str(responder.request.root.method)
        side = side_of(method, False)
        if rules is None or not rules.watches(side):
            return None
        return Exchange(session_conversation(sensor, session), rules, side, method)
    except Exception as error:
        sensor.report("mcp client", error)
        return None
