"""Requests between agents, told with their outcome; streams are passed through as they come."""

from collections.abc import Callable
from time import monotonic
from typing import Any

from ..load.wrap import AnyFunction
from ..sensor import Sensor

_NAMES = {"resubscribe": "SubscribeToTask", "subscribe": "SubscribeToTask", "message_send": "SendMessage"}
_NAMES |= {"message_send_stream": "SendStreamingMessage", "resubscribe_to_task": "SubscribeToTask"}


def method_name(name: str) -> str:
    """OpenTelemetry's name of a method: ``get_task`` and ``on_get_task`` are ``GetTask``."""
    bare = name.removeprefix("on_")
    return _NAMES.get(bare) or "".join(part.capitalize() for part in bare.split("_"))


def observed(
    sensor: Sensor, side: str, method: str, streams: bool, agent_of: "Callable[[Any], str]"
) -> "Callable[[AnyFunction], AnyFunction]":
    """Makes a wrapper of an async method, or of an async generator (``streams``)."""

    def make(original: AnyFunction) -> AnyFunction:
        async def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            told = _Told(sensor, side, method, self, agent_of)
            try:
                result = await original(self, *args, **kwargs)
            except BaseException as error:
                told.end(error)
                raise
            told.end(None)
            return result

        async def stream(self: Any, *args: Any, **kwargs: Any) -> Any:
            told = _Told(sensor, side, method, self, agent_of)
            try:
                async for event in original(self, *args, **kwargs):
                    told.events += 1
                    yield event
            except BaseException as error:
                told.end(None if isinstance(error, GeneratorExit) else error)
                raise
            told.end(None)

        return stream if streams else call

    return make


class _Told:
    """One request on its way."""

    def __init__(self, sensor: Sensor, side: str, method: str, owner: Any, agent_of: "Callable[[Any], str]") -> None:
        self._sensor = sensor
        self._what = (side, method)
        self._owner = (owner, agent_of)
        self._since = monotonic()
        self.events = 0

    def end(self, error: "BaseException | None") -> None:
        sensor = self._sensor
        try:
            if not sensor.settings().a2a:
                return
            side, method = self._what
            owner, agent_of = self._owner
            body: dict[str, Any] = {"side": side, "outcome": "ok" if error is None else "error"}
            body["duration_ms"] = round((monotonic() - self._since) * 1000)
            if self.events:
                body["events"] = self.events
            attributes = {"a2a.method.name": method, "gen_ai.agent.name": agent_of(owner)}
            if error is not None:
                attributes["error.type"] = type(error).__name__
            sensor.events.emit("a2a_request", "a2a", body, attributes)
        except Exception as failure:
            sensor.report("a2a call", failure)
