"""MCP servers on ``mcp`` 1.x (``FastMCP``, low-level ``Server``, fastmcp 2.x and 3.x): every request.

Can't see: ``initialize``, which the session answers itself; tools that a program calls in Python without the protocol.
"""

from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, wrap
from ..runtime.cause import CAUSE
from ..sensor import Sensor
from .conversation import UNNAMED, conversation_of
from .denial import Refusal
from .exchange import Exchange
from .refuse import error_data
from .typed_exchange import judge_respond, open_typed


def install(sensor: Sensor, module: ModuleType) -> None:
    def make(original: AnyFunction) -> AnyFunction:
        async def _handle_request(self: Any, message: Any, req: Any, *args: Any, **kwargs: Any) -> Any:
            exchange = _begin(sensor, self, message, req)
            if exchange is None:
                return await original(self, message, req, *args, **kwargs)
            asked = open_typed(exchange, req)
            if isinstance(asked, Refusal):
                return await message.respond(error_data(asked))
            unheard = judge_respond(exchange, message)
            if unheard is not None:
                return await message.respond(error_data(unheard))
            token = CAUSE.set(exchange.cause(message.request_id))
            try:
                return await original(self, message, asked, *args, **kwargs)
            finally:
                CAUSE.reset(token)

        return _handle_request

    server = module.__dict__["Server"]
    if "_handle_request" in vars(server):  # 2.x has the same module; see server2.py.
        wrap(server, "_handle_request", make)


def _begin(sensor: Sensor, server: Any, message: Any, req: Any) -> "Exchange | None":
    try:
        rules = sensor.mcp()
        if rules is None or not rules.watches("server"):
            return None
        conversation = conversation_of(sensor, server)
        conversation.server = str(getattr(server, "name", None) or UNNAMED)
        request = getattr(getattr(message, "message_metadata", None), "request_context", None)
        conversation.transport = "stdio" if request is None else "http"
        headers = getattr(request, "headers", None)
        conversation.session = headers.get("mcp-session-id") if headers is not None else None
        return Exchange(conversation, rules, "server", str(getattr(req, "method", "")))
    except Exception as error:
        sensor.report("mcp server", error)
        return None
