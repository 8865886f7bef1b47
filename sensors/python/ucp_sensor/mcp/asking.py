"""What is done around a session's ``send_request``, the same in both lines of the SDK."""

from collections.abc import Callable
from typing import Any

from ..load.wrap import AnyFunction
from .denial import Refusal
from .exchange import Exchange
from .refuse import error_of
from .typed import arguments_of, named_by, with_arguments
from .typed_exchange import close_typed


def asking(begin: "Callable[[Any, Any], Exchange | None]") -> "Callable[[AnyFunction], AnyFunction]":
    """A maker of the wrapped function. ``begin`` (session, request) says whether anybody wants to know, and never raises."""

    def make(original: AnyFunction) -> AnyFunction:
        async def send_request(self: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
            exchange = begin(self, request)
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

    return make
