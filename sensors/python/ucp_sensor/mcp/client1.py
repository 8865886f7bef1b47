"""MCP sessions on ``mcp`` 1.x: what clients ask of servers, what servers ask of clients (sampling, elicitation), and
notifications both ways.

Wrapped where it is defined, on ``BaseSession``: on ``ClientSession`` it would shadow everyone else's patch.
Can't see: notifications of sessions that were open before the sensor started.
"""

from dataclasses import replace
from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, wrap
from ..sensor import Sensor
from .asking import asking
from .conversation import UNNAMED, Conversation, conversation_of
from .exchange import Exchange, begin
from .judged_stream import JudgedStream
from .medium import medium_of
from .notices import judge_notice


def install(sensor: Sensor, module: ModuleType) -> None:
    session = module.__dict__["BaseSession"]

    def asks(asker: Any, request: Any) -> "Exchange | None":
        return begin(
            sensor,
            "mcp session",
            lambda: str(getattr(getattr(request, "root", request), "method", "")),
            True,
            lambda: session_conversation(sensor, asker),
        )

    wrap(session, "send_request", asking(asks))
    notification = module.__dict__["JSONRPCNotification"]
    wrap(session, "__aenter__", lambda original: _judging_notices(sensor, original, notification))


def session_conversation(sensor: Sensor, session: Any) -> Conversation:
    """The conversation of a session, named as far as it is known whose it is."""
    conversation = conversation_of(sensor, session)
    if conversation.server == UNNAMED:
        options = getattr(session, "_init_options", None)  # A server's session.
        conversation.server = str(getattr(options, "server_name", None) or UNNAMED)
        conversation.transport = medium_of(session)
    return conversation


def _judging_notices(sensor: Sensor, original: AnyFunction, notification: type) -> AnyFunction:
    async def __aenter__(self: Any) -> Any:
        def judge(item: Any) -> Any:
            root = getattr(getattr(item, "message", None), "root", None)
            return _judged(sensor, self, item, root) if isinstance(root, notification) else item

        try:
            self._read_stream = JudgedStream(self._read_stream, judge)
            self._write_stream = JudgedStream(self._write_stream, judge)
        except Exception as error:
            sensor.report("mcp session", error)
        return await original(self)

    return __aenter__


def _judged(sensor: Sensor, session: Any, item: Any, root: Any) -> Any:
    """The message to pass on; ``None``: it goes no further."""
    try:
        side = "server" if hasattr(session, "_init_options") else "client"
        conversation = session_conversation(sensor, session)
        passes, params, changed = judge_notice(sensor, conversation, side, root.method, root.params)
        if not passes:
            return None
        if not changed:
            return item
        return replace(item, message=type(item.message)(root.model_copy(update={"params": params})))
    except Exception as error:
        sensor.report("mcp session", error)
        return item
