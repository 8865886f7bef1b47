"""Cards that an agent of the 0.3 line serves: over HTTP, as the answer of JSON-RPC's method, over REST and over gRPC.

The SDK's own errors: 403 where a card is fetched, "not configured" where an extended one is asked for.
"""

import json
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, owned, wrap
from ..policy.finding import Finding
from ..sensor import Sensor
from .desk import judge

#: Module → its class and the methods that give a card, with where the card goes.
_PLACES = {
    "jsonrpc_app": ("JSONRPCApplication", ("_handle_get_agent_card", "_handle_get_authenticated_extended_agent_card")),
    "jsonrpc_handler": ("JSONRPCHandler", ("get_authenticated_extended_card",)),
    "rest_adapter": ("RESTAdapter", ("handle_get_agent_card", "handle_authenticated_agent_card")),
    "grpc_handler": ("GrpcHandler", ("GetAgentCard",)),
}


def install(sensor: Sensor, module: ModuleType) -> None:
    name, methods = _PLACES[module.__name__.rpartition(".")[2]]
    owner = module.__dict__[name]
    for method in methods:
        if owned(owner, method):
            wrap(owner, method, _judged(sensor, "extended card" if "authenticated" in method else "well-known URL"))


def _judged(sensor: Sensor, where: str) -> "Callable[[AnyFunction], AnyFunction]":
    def make(original: AnyFunction) -> AnyFunction:
        async def serve(self: Any, *args: Any, **kwargs: Any) -> Any:
            answer = await original(self, *args, **kwargs)
            finding = judge(sensor, _card_in(sensor, answer), "server", where)
            if finding is None:
                return answer
            return await _refused(original.__name__, answer, finding, args)

        return serve

    return make


def _card_in(sensor: Sensor, answer: Any) -> Any:
    """A response with JSON in it, JSON-RPC's answer, or the card itself."""
    try:
        if hasattr(answer, "status_code"):
            return json.loads(answer.body) if answer.status_code == 200 else None
        root = getattr(answer, "root", None)
        return answer if root is None else getattr(root, "result", None)
    except Exception as error:
        sensor.report("a2a card", error)
        return None


async def _refused(method: str, answer: Any, finding: Finding, args: "tuple[Any, ...]") -> Any:
    if hasattr(answer, "status_code"):
        return type(answer)({"error": finding.message}, status_code=403)
    if method == "GetAgentCard":
        from grpc import StatusCode

        return await args[-1].abort(StatusCode.PERMISSION_DENIED, finding.message)
    if method == "handle_get_agent_card":
        from starlette.exceptions import HTTPException

        raise HTTPException(403, finding.message)
    from a2a.types import AuthenticatedExtendedCardNotConfiguredError
    from a2a.utils.errors import ServerError

    raise ServerError(error=AuthenticatedExtendedCardNotConfiguredError(message=finding.message))
