"""MCP servers on ``mcp`` 2.x (``MCPServer``, low-level ``Server``, fastmcp 4.x): every request, on every transport.

Outermost around the server's own middleware, per message, so that a server that assigns ``.middleware`` keeps the
sensor. Notifications: dispatcher2.py and direct2.py. Can't see: tools that a program calls in Python without the protocol (``server.call_tool(…)``), answers of
``subscriptions/listen`` streams.
"""

from dataclasses import replace
from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, wrap
from ..runtime.cause import CAUSE
from ..sensor import Sensor
from .conversation import SERVING, UNNAMED, Conversation, conversation_of
from .exchange import Exchange
from .internal_list import INTERNAL
from .raw_exchange import run_raw


def install(sensor: Sensor, module: ModuleType) -> None:
    def make(original: AnyFunction) -> AnyFunction:
        def _compose_server_middleware(self: Any, inner: Any) -> Any:
            call = original(self, inner)

            async def judged(ctx: Any) -> Any:
                exchange = _begin(sensor, self.server, ctx)
                return await call(ctx) if exchange is None else await _run(exchange, ctx, call)

            return judged

        return _compose_server_middleware

    wrap(module.__dict__["ServerRunner"], "_compose_server_middleware", make)


def _begin(sensor: Sensor, server: Any, ctx: Any) -> "Exchange | None":
    try:
        rules = sensor.mcp()
        if rules is None or ctx.request_id is None or INTERNAL.get() or not rules.watches("server"):
            return None
        conversation = conversation_of(sensor, server)
        conversation.server = str(getattr(server, "name", None) or UNNAMED)
        _place(conversation, ctx)
        return Exchange(conversation, rules, "server", str(ctx.method))
    except Exception as error:
        sensor.report("mcp server", error)
        return None


def _place(conversation: Conversation, ctx: Any) -> None:
    request = getattr(ctx, "request", None)
    conversation.transport = "stdio" if request is None else "http"
    headers = getattr(request, "headers", None)
    conversation.session = headers.get("mcp-session-id") if headers is not None else None


async def _run(exchange: Exchange, ctx: Any, call: Any) -> Any:
    async def handle(params: Any) -> Any:
        cause = CAUSE.set(exchange.cause(ctx.request_id))
        serving = SERVING.set(exchange.conversation)
        try:
            return await call(ctx if params is ctx.params else replace(ctx, params=params))
        finally:
            SERVING.reset(serving)
            CAUSE.reset(cause)

    return await run_raw(exchange, ctx.params, handle)
