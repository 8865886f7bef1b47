"""Requests between agents, told with their outcome; streams are passed through as they come."""

from collections.abc import Callable
from contextvars import ContextVar
from inspect import isasyncgenfunction
from time import monotonic
from typing import Any

from ..load.wrap import AnyFunction
from ..sensor import Sensor

_NAMES = {"resubscribe": "SubscribeToTask", "subscribe": "SubscribeToTask", "message_send": "SendMessage"}
_NAMES |= {"message_send_stream": "SendStreamingMessage", "send_message_streaming": "SendStreamingMessage"}
_NAMES |= {"resubscribe_to_task": "SubscribeToTask"}


def method_name(name: str) -> str:
    """OpenTelemetry's name of a method: ``get_task`` and ``on_get_task`` are ``GetTask``."""
    bare = name.removeprefix("on_")
    return _NAMES.get(bare) or "".join(part.capitalize() for part in bare.split("_"))


#: The request that is being told of in this context: a handler that hands it on to another one makes one event.
_TELLING: "ContextVar[Any]" = ContextVar("ucp_sensor_a2a_request", default=None)


def observed(
    sensor: Sensor, side: str, name: str, agent_of: "Callable[[Any], Any]"
) -> "Callable[[AnyFunction], AnyFunction]":
    """Makes a wrapper of the async method ``name``, or of the async generator."""

    def make(original: AnyFunction) -> AnyFunction:
        async def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            request = args[0] if args else None
            told = _begin(sensor, side, name, agent_of, self, request)
            if told is None:
                return await original(self, *args, **kwargs)
            token = _TELLING.set(request)
            try:
                result = await original(self, *args, **kwargs)
            except BaseException as error:
                told.end(error)
                raise
            finally:
                _TELLING.reset(token)
            told.end(None, result)
            return result

        async def stream(self: Any, *args: Any, **kwargs: Any) -> Any:
            request = args[0] if args else None
            told = _begin(sensor, side, name, agent_of, self, request)
            source = original(self, *args, **kwargs)
            error: BaseException | None = None
            last: Any = None
            try:
                while True:
                    token = _TELLING.set(request)  # For this step: the reader may go on in another context.
                    try:
                        last = await source.__anext__()
                    except StopAsyncIteration:
                        return
                    finally:
                        _TELLING.reset(token)
                    if told is not None:
                        told.events += 1
                    yield last
            except GeneratorExit:  # Nobody reads on.
                await source.aclose()
                raise
            except BaseException as raised:
                error = raised
                raise
            finally:
                if told is not None:
                    told.end(error, last)

        return stream if isasyncgenfunction(original) else call

    return make


def _begin(
    sensor: Sensor, side: str, name: str, agent_of: "Callable[[Any], Any]", owner: Any, request: Any
) -> "_Told | None":
    """``None`` when nobody asks, or when this request is being told of."""
    try:
        if not sensor.settings().a2a or (request is not None and _TELLING.get() is request):
            return None
        return _Told(sensor, side, method_name(name), str(agent_of(owner) or ""))
    except Exception as error:
        sensor.report("a2a call", error)
        return None


def _error_in(result: Any) -> Any:
    """The error that the 0.3 client returns instead of raising it."""
    return getattr(getattr(result, "root", None), "error", None)


class _Told:
    """One request on its way."""

    def __init__(self, sensor: Sensor, side: str, method: str, agent: str) -> None:
        self._sensor = sensor
        self._side = side
        self._attributes = {"a2a.method.name": method, **({"gen_ai.agent.name": agent} if agent else {})}
        self._since = monotonic()
        self.events = 0

    def end(self, error: "BaseException | None", last: Any = None) -> None:
        """``last``: what the request returned, or the last event of its stream."""
        try:
            failure = error if error is not None else _error_in(last)
            body: dict[str, Any] = {"side": self._side, "outcome": "ok" if failure is None else "error"}
            body["duration_ms"] = round((monotonic() - self._since) * 1000)
            if self.events:
                body["events"] = self.events
            if failure is not None:
                self._attributes["error.type"] = type(failure).__name__
            self._sensor.events.emit("a2a_request", "a2a", body, self._attributes)
        except Exception as bug:
            self._sensor.report("a2a call", bug)
