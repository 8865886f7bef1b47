"""Judges results that are models of the SDK: what the hooks of sessions and 1.x servers share."""

from typing import Any

from .conversation import UNNAMED, Conversation
from .denial import Refusal
from .exchange import Exchange
from .typed import hide, rebuilt, wire


def close_typed(exchange: Exchange, result: Any) -> "Refusal | Any":
    """Judges a result that is a model: its lists are edited in place, other content only where it was redacted."""
    try:
        _learn(exchange.conversation, result)
        if exchange.lists:
            listing = exchange.judge_list(wire(result))
            hide(result, listing)
            exchange.done("ok", {"listed": listing.kept, "hidden": listing.hidden})
            return result
        requests = getattr(result, "input_requests", None)
        if not exchange.scans and not requests:
            tool_error = getattr(result, "is_error", None) or getattr(result, "isError", None)
            exchange.done("tool_error" if tool_error is True else "ok", {})
            return result
        content = wire(result)
        passed = exchange.close(content)
        return passed if isinstance(passed, Refusal) else result if passed is content else rebuilt(result, passed)
    except Exception as error:
        return exchange.failed(error) or result


def _learn(conversation: Conversation, result: Any) -> None:
    """The server's name, from the result of ``initialize`` or ``server/discover``."""
    if conversation.server == UNNAMED:
        info = getattr(result, "server_info", None) or getattr(result, "serverInfo", None)
        conversation.server = str(getattr(info, "name", None) or UNNAMED)
