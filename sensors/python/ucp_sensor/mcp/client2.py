"""MCP clients on ``mcp`` 2.x (``Client``, ``ClientSession``, fastmcp 4.x): every request but the connection's own.

Can't see: ``server/discover``, which doesn't pass ``send_request``. ``subscriptions/listen``: dispatcher2.py.
"""

from types import ModuleType
from typing import Any

from ..load.wrap import owned, wrap
from ..sensor import Sensor
from .asking import asking
from .conversation import LAST, UNNAMED, Conversation, conversation_of
from .exchange import Exchange
from .medium import medium_of


def install(sensor: Sensor, module: ModuleType) -> None:
    session = module.__dict__["ClientSession"]
    if not owned(session, "send_request"):
        return  # 1.x: it is BaseSession's, see client1.py.

    wrap(session, "send_request", asking(lambda asker, request: _begin(sensor, asker, request)))


def client_conversation(sensor: Sensor, session: Any) -> Conversation:
    """The conversation of a client's session, named as soon as the server has said its name."""
    conversation = conversation_of(sensor, session)
    if conversation.server == UNNAMED:
        info = getattr(session, "server_info", None)
        conversation.server = str(getattr(info, "name", None) or UNNAMED)
        conversation.transport = medium_of(session)
    return conversation


def _begin(sensor: Sensor, session: Any, request: Any) -> "Exchange | None":
    """The exchange that a request begins; ``None`` when nobody asks for this side."""
    try:
        rules = sensor.mcp()
        if rules is None or not rules.watches("client"):
            return None
        conversation = client_conversation(sensor, session)
        LAST.set(conversation)
        return Exchange(conversation, rules, "client", str(getattr(request, "method", "")))
    except Exception as error:
        sensor.report("mcp client", error)
        return None
