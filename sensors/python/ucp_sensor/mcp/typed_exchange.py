"""Judges requests and results that are models of the SDK: what the hooks of sessions and 1.x servers share."""

from typing import Any

from .conversation import UNNAMED, Conversation
from .denial import Refusal
from .exchange import Exchange
from .fields import field
from .refuse import error_data
from .tasks import may_begin_task
from .typed import hide, named_by, params_of, rebuilt, wire, with_arguments, with_params


def open_typed(exchange: Exchange, request: Any) -> "Refusal | Any":
    """Judges a request that is a model, or a root model of one: the request to pass on, or a refusal."""
    try:
        root = field(request, "root")
        inner = request if root is None else root
        refusal = exchange.open(named_by(inner), lambda: params_of(inner))
        if refusal is not None:
            return refusal
        passed = request if exchange.params is None else with_params(request, exchange.params)
        return passed if exchange.arguments is None else with_arguments(passed, exchange.arguments)
    except Exception as error:
        return exchange.failed(error) or request


def close_typed(exchange: Exchange, result: Any) -> "Refusal | Any":
    """Judges a result that is a model: its lists are edited in place, other content only where it was redacted."""
    try:
        _learn(exchange.conversation, result)
        if not exchange.reads_result:
            if exchange.lists:
                listing = exchange.judge_list(wire(result))
                hide(result, listing)
                exchange.done("ok", {"listed": listing.kept, "hidden": listing.hidden})
                return result
            if may_begin_task(result):
                exchange.learn_task(wire(result))
            if not field(result, "input_requests"):
                exchange.done("tool_error" if field(result, "is_error", "isError") is True else "ok", {})
                return result
        content = wire(result)
        passed = exchange.close(content)
        return passed if isinstance(passed, Refusal) else result if passed is content else rebuilt(result, passed)
    except Exception as error:
        return exchange.failed(error) or result


def judge_respond(exchange: Exchange, responder: Any) -> "Refusal | None":
    """Shadows ``respond`` of one responder of ``mcp`` 1.x: whatever the handler made passes here, errors too. A refusal
    where that can't be done."""
    try:
        original = responder.respond

        async def respond(response: Any) -> Any:
            return await original(_judged(exchange, response))

        responder.respond = respond
        return None
    except Exception as error:
        return exchange.failed(error)


def _judged(exchange: Exchange, response: Any) -> Any:
    try:
        result = getattr(response, "root", None)
        if result is None:  # ErrorData
            exchange.error()
            return response
        passed = close_typed(exchange, result)
        if passed is not result and not isinstance(passed, Refusal):
            return type(response)(passed)
        return error_data(passed) if isinstance(passed, Refusal) else response
    except Exception as error:
        refusal = exchange.failed(error)
        return response if refusal is None else error_data(refusal)


def _learn(conversation: Conversation, result: Any) -> None:
    """The server's name, from the result of ``initialize`` or ``server/discover``."""
    if conversation.server == UNNAMED:
        info = getattr(result, "server_info", None) or getattr(result, "serverInfo", None)
        conversation.server = str(getattr(info, "name", None) or UNNAMED)
