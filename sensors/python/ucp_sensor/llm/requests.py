"""Calls of models through ``openai`` (1.x to 3.x) and ``anthropic`` (0.x to 2.x), sync and async, whole and streamed.

One wrap above the HTTP client: retries happen inside and make one event; Azure, Bedrock and Vertex clients inherit it.
Can't see: Realtime and Responses over WebSocket, the contents of batches and files, bodies in br or zstd.
"""

from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, wrap
from ..sensor import Sensor
from .body import record
from .call import ModelCall, begin


def install(sensor: Sensor, module: ModuleType) -> None:
    provider = module.__name__.partition(".")[0]

    def make_sync(original: AnyFunction) -> AnyFunction:
        def request(self: Any, cast_to: Any, options: Any, **kwargs: Any) -> Any:
            call = begin(sensor, provider, self, options)
            if call is None:
                return original(self, cast_to, options, **kwargs)
            try:
                result = original(self, cast_to, options, **kwargs)
            except BaseException as error:
                call.end([], getattr(error, "status_code", None), error)
                raise
            _answered(sensor, call, result)
            return result

        return request

    def make_async(original: AnyFunction) -> AnyFunction:
        async def request(self: Any, cast_to: Any, options: Any, **kwargs: Any) -> Any:
            call = begin(sensor, provider, self, options)
            if call is None:
                return await original(self, cast_to, options, **kwargs)
            try:
                result = await original(self, cast_to, options, **kwargs)
            except BaseException as error:
                call.end([], getattr(error, "status_code", None), error)
                raise
            _answered(sensor, call, result)
            return result

        return request

    wrap(module.__dict__["SyncAPIClient"], "request", make_sync)
    wrap(module.__dict__["AsyncAPIClient"], "request", make_async)


def _answered(sensor: Sensor, call: ModelCall, result: Any) -> None:
    """A parsed model, a stream, or a raw response, read or not."""
    try:
        response = getattr(result, "http_response", None) or getattr(result, "response", None)
        if response is not None and hasattr(response, "is_stream_consumed"):
            if response.is_stream_consumed or response.is_closed:
                text = response.text
                call.end_with_text(
                    text, "event-stream" in response.headers.get("content-type", ""), response.status_code
                )
            else:
                record(call, response)
            return
        dump = getattr(result, "model_dump", None)
        call.end([dump(mode="json", exclude_none=True)] if dump is not None else [], 200)
    except Exception as error:
        sensor.report("llm response", error)
