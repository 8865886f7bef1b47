"""What a server asks of a client on ``mcp`` 1.x, where the client answers (sampling, elicitation, roots)."""

from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, owned, wrap
from ..sensor import Sensor
from .client1 import session_conversation
from .denial import Refusal
from .exchange import begin
from .refuse import error_data
from .typed_exchange import judge_respond, open_typed


def install(sensor: Sensor, module: ModuleType) -> None:
    def make(original: AnyFunction) -> AnyFunction:
        async def _received_request(self: Any, responder: Any) -> Any:
            exchange = begin(
                sensor,
                "mcp client",
                lambda: str(responder.request.root.method),
                False,
                lambda: session_conversation(sensor, self),
            )
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
