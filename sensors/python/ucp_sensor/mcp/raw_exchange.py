"""Judges requests that are methods and plain values: what the hooks of ``mcp`` 2.x share."""

from collections.abc import Awaitable, Callable
from typing import Any

from .denial import Refusal
from .exchange import Exchange
from .refuse import error_of


async def run_raw(exchange: Exchange, params: Any, call: "Callable[[Any], Awaitable[Any]]") -> Any:
    """The judged result of ``call``, which gets the parameters to pass on. Raises the SDK's error for a refusal."""
    given = params or {}
    refusal = exchange.open(given, lambda: given)
    if refusal is not None:
        raise error_of(refusal)
    try:
        redacted = exchange.params is not None or exchange.arguments is not None
        result = await call(exchange.passed_params(params) if redacted else params)
    except BaseException:
        exchange.error()
        raise
    passed = exchange.close(result) if isinstance(result, dict) else result
    if isinstance(passed, Refusal):
        raise error_of(passed)
    return passed
