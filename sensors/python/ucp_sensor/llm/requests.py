"""Calls of models through ``openai`` (1.x to 3.x) and ``anthropic`` (0.x to 2.x), sync and async, whole and streamed.

One wrap above the HTTP client: retries happen inside and make one event; Azure, Bedrock and Vertex clients inherit it.
Can't see: Realtime and Responses over WebSocket, the contents of batches and files.
"""

from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, wrap
from ..sensor import Sensor
from .answer import Answer
from .body import record
from .call import ModelCall, begin
from .reader import BodyReader


def install(sensor: Sensor, module: ModuleType) -> None:
    provider = module.__name__.partition(".")[0]

    def make_sync(original: AnyFunction) -> AnyFunction:
        def request(self: Any, cast_to: Any, options: Any, **kwargs: Any) -> Any:
            call = begin(sensor, provider, self, options)
            if call is None:
                return original(self, cast_to, options, **kwargs)
            with _Hearing(call) as hearing:
                return hearing.heard(original(self, cast_to, options, **kwargs))

        return request

    def make_async(original: AnyFunction) -> AnyFunction:
        async def request(self: Any, cast_to: Any, options: Any, **kwargs: Any) -> Any:
            call = begin(sensor, provider, self, options)
            if call is None:
                return await original(self, cast_to, options, **kwargs)
            with _Hearing(call) as hearing:
                return hearing.heard(await original(self, cast_to, options, **kwargs))

        return request

    wrap(module.__dict__["SyncAPIClient"], "request", make_sync)
    wrap(module.__dict__["AsyncAPIClient"], "request", make_async)


class _Hearing:
    """Around one request: what it returns is heard, what it raises is told and goes on."""

    __slots__ = ("_call",)

    def __init__(self, call: ModelCall) -> None:
        self._call = call

    def __enter__(self) -> "_Hearing":
        return self

    def __exit__(self, _kind: Any, error: "BaseException | None", _trace: Any) -> None:
        if error is not None:
            self._call.raised(error)

    def heard(self, result: Any) -> Any:
        try:
            _hear(self._call, result)
        except Exception as error:
            self._call.failed(error, None)
        return result


def _hear(call: ModelCall, result: Any) -> None:
    """A parsed model, a stream, or a raw response, read or not."""
    response = getattr(result, "http_response", None) or getattr(result, "response", None)
    if response is None or not hasattr(response, "is_stream_consumed"):
        answer = Answer()
        dump = getattr(result, "model_dump", None)
        if dump is not None:
            answer.add(dump(mode="json", exclude_none=True))
        call.end(answer, 200)
    elif response.is_stream_consumed or response.is_closed:
        reader = BodyReader({"content-type": response.headers.get("content-type", "")}, None)
        reader.feed(response.content)  # Decoded already.
        call.end(reader.end(), response.status_code)
    else:
        record(call, response)
