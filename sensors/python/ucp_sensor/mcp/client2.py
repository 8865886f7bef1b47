"""MCP clients on ``mcp`` 2.x (``Client``, ``ClientSession``, fastmcp 4.x): every request but the connection's own.

Can't see: ``server/discover`` and ``subscriptions/listen``, which don't pass ``send_request``.
"""

from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, owned, wrap
from ..sensor import Sensor
from .conversation import LAST, UNNAMED, conversation_of
from .denial import Refusal
from .exchange import Exchange
from .medium import medium_of
from .refuse import error_of
from .typed import arguments_of, named_by, with_arguments
from .typed_exchange import close_typed


def install(sensor: Sensor, module: ModuleType) -> None:
    session = module.__dict__["ClientSession"]
    if not owned(session, "send_request"):
        return  # 1.x: it is BaseSession's, see client1.py.

    def make(original: AnyFunction) -> AnyFunction:
        async def send_request(self: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
            exchange = _begin(sensor, self, request)
            if exchange is None:
                return await original(self, request, *args, **kwargs)
            refusal = exchange.open(named_by(request), lambda: arguments_of(request))
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

    wrap(session, "send_request", make)


def _begin(sensor: Sensor, session: Any, request: Any) -> "Exchange | None":
    """The exchange that a request begins; ``None`` when nobody asks for this side."""
    try:
        rules = sensor.mcp()
        if rules is None or not rules.watches("client"):
            return None
        conversation = conversation_of(sensor, session)
        if conversation.server == UNNAMED:
            info = getattr(session, "server_info", None)
            conversation.server = str(getattr(info, "name", None) or UNNAMED)
            conversation.transport = medium_of(session)
        LAST.set(conversation)
        return Exchange(conversation, rules, "client", str(getattr(request, "method", "")))
    except Exception as error:
        sensor.report("mcp client", error)
        return None
