"""Whose end of a conversation a dispatcher of ``mcp`` 2.x is: it says so by what it is run with."""

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from ..load.wrap import AnyFunction
from ..sensor import Sensor
from .client2 import client_conversation
from .conversation import UNNAMED, Conversation, conversation_of


class End(NamedTuple):
    """``side``: ``client`` or ``server``."""

    side: str
    conversation: Conversation


_ENDS: "WeakKeyDictionary[Any, End]" = WeakKeyDictionary()


def end_of(dispatcher: Any) -> "End | None":
    """``None`` for one that ran before the sensor started, or that is run with functions of the program's own."""
    try:
        return _ENDS.get(dispatcher)
    except Exception:  # Not every object can be referred to weakly.
        return None


def remembering(sensor: Sensor, original: AnyFunction) -> AnyFunction:
    """A dispatcher's ``run`` that remembers whose it is."""

    async def run(self: Any, on_request: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            end = _end(sensor, on_request)
            if end is not None:
                _ENDS[self] = end
        except Exception as error:
            sensor.report("mcp dispatcher", error)
        return await original(self, on_request, *args, **kwargs)

    return run


def _end(sensor: Sensor, on_request: Any) -> "End | None":
    owner = getattr(on_request, "__self__", None)
    if hasattr(owner, "send_request"):
        return End("client", client_conversation(sensor, owner))
    runner = owner or _free(on_request, "runner")
    server = getattr(runner, "server", None) or _free(on_request, "server")
    if server is None:
        return None
    conversation = conversation_of(sensor, server)
    conversation.server = str(getattr(server, "name", None) or UNNAMED)
    return End("server", conversation)


def _free(function: Any, name: str) -> Any:
    """A variable of the function that ``function`` was made in."""
    names = getattr(getattr(function, "__code__", None), "co_freevars", ())
    return function.__closure__[names.index(name)].cell_contents if name in names else None
