"""MCP sessions on ``mcp`` 1.x: what clients ask of servers, and what servers ask of clients (sampling, elicitation).

Wrapped where it is defined, on ``BaseSession``: on ``ClientSession`` it would shadow everyone else's patch.
Can't see: requests of a server that a client answers (they make the server's own sensor speak).
"""

from types import ModuleType
from typing import Any

from ..load.wrap import wrap
from ..sensor import Sensor
from .asking import asking
from .conversation import UNNAMED, conversation_of
from .exchange import Exchange
from .medium import medium_of
from .methods import side_of


def install(sensor: Sensor, module: ModuleType) -> None:
    wrap(module.__dict__["BaseSession"], "send_request", asking(lambda asker, request: _begin(sensor, asker, request)))


def _begin(sensor: Sensor, session: Any, request: Any) -> "Exchange | None":
    try:
        rules = sensor.mcp()
        if rules is None:
            return None
        method = str(getattr(getattr(request, "root", request), "method", ""))
        side = side_of(method, True)
        if not rules.watches(side):
            return None
        conversation = conversation_of(sensor, session)
        if conversation.server == UNNAMED:
            options = getattr(session, "_init_options", None)  # A server's session.
            conversation.server = str(getattr(options, "server_name", None) or UNNAMED)
            conversation.transport = medium_of(session)
        return Exchange(conversation, rules, side, method)
    except Exception as error:
        sensor.report("mcp session", error)
        return None
