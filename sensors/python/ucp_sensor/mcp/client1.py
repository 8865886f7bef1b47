"""MCP sessions on ``mcp`` 1.x: what clients ask of servers, and what servers ask of clients (sampling, elicitation).

Wrapped where it is defined, on ``BaseSession``: on ``ClientSession`` it would shadow everyone else's patch.
Can't see: requests of a server that a client answers (they make the server's own sensor speak).
"""

from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, wrap
from ..sensor import Sensor
from .conversation import UNNAMED, conversation_of
from .denial import Refusal
from .exchange import Exchange
from .medium import medium_of
from .methods import side_of
from .refuse import error_of
from .typed import arguments_of, named_by, with_arguments
from .typed_exchange import close_typed


def install(sensor: Sensor, module: ModuleType) -> None:
    def make(original: AnyFunction) -> AnyFunction:
        async def send_request(self: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
            exchange = _begin(sensor, self, request)
            if exchange is None:
                return await original(self, request, *args, **kwargs)
            inner = getattr(request, "root", request)
            refusal = exchange.open(named_by(inner), lambda: arguments_of(inner))
            if refusal is not None:
                raise error_of(refusal)
            if exchange.arguments is not None:
                request = with_arguments(request, exchange.arguments)
            try:
                result = await original(self, request, *args, **kwargs)
            except BaseException:
                exchange.error()
                raise
            passed = close_typed(exchange, result)
            if isinstance(passed, Refusal):
                raise error_of(passed)
            return passed

        return send_request

    wrap(module.__dict__["BaseSession"], "send_request", make)


def _begin(sensor: Sensor, session: Any, request: Any) -> "Exchange | None":
    try:
        rules = sensor.mcp()
        if rules is None:
            return None
        method = str(getattr(getattr(request, "root", request), "method", ""))
        side = side_of(method, True)
        if not rules.watches(side):
            return None
        conversation = conversation_of(sensor, session)
        if conversation.server == UNNAMED:
            options = getattr(session, "_init_options", None)  # A server's session.
            conversation.server = str(getattr(options, "server_name", None) or UNNAMED)
            conversation.transport = medium_of(session)
        return Exchange(conversation, rules, side, method)
    except Exception as error:
        sensor.report("mcp session", error)
        return None
