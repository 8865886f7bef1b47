"""What is done around a session's ``send_request``, the same in both lines of the SDK."""

from collections.abc import Callable
from typing import Any

from ..load.wrap import AnyFunction
from .denial import Refusal
from .exchange import Exchange
from .refuse import error_of
from .typed_exchange import close_typed, open_typed


def asking(begin: "Callable[[Any, Any], Exchange | None]") -> "Callable[[AnyFunction], AnyFunction]":
    """A maker of the wrapped function. ``begin`` (session, request) says whether anybody wants to know, and never raises."""

    def make(original: AnyFunction) -> AnyFunction:
        async def send_request(self: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
            exchange = begin(self, request)
            if exchange is None:
                return await original(self, request, *args, **kwargs)
            asked = open_typed(exchange, request)
            if isinstance(asked, Refusal):
                raise error_of(asked)
            try:
                result = await original(self, asked, *args, **kwargs)
            except BaseException:
                exchange.error()
                raise
            passed = close_typed(exchange, result)
            if isinstance(passed, Refusal):
                raise error_of(passed)
            return passed

        return send_request

    return make
