"""Reads along with a response whose body the program reads: chunks pass one by one, nothing is read ahead."""

import sys
from functools import cache
from typing import Any

from .call import ModelCall
from .reader import BodyReader


class Tape:
    """Hears what passes; ``stop`` tells it, however the reading ended. Never raises."""

    def __init__(self, call: ModelCall, response: Any, http: Any) -> None:
        self._call = call
        self._status = response.status_code
        self._reader: BodyReader | None = BodyReader(response.headers, http)

    def keep(self, chunk: bytes) -> None:
        reader = self._reader
        if reader is not None:
            try:
                reader.feed(chunk)
            except Exception as error:
                self._failed(error)

    def stop(self) -> None:
        reader, self._reader = self._reader, None
        if reader is not None:
            try:
                self._call.end(reader.end(), self._status)
            except Exception as error:
                self._failed(error)

    def _failed(self, error: Exception) -> None:
        self._reader = None
        self._call.failed(error, self._status)


def record(call: ModelCall, response: Any) -> None:
    """Puts a tape on an unread response of ``httpx`` or ``httpx2``."""
    http = sys.modules[type(response).__module__.partition(".")[0]]
    inner = response.stream
    tape = Tape(call, response, http)
    if isinstance(inner, http.AsyncByteStream):
        response.stream = _async_class(http.AsyncByteStream)(inner, tape)
    else:
        response.stream = _sync_class(http.SyncByteStream)(inner, tape)


@cache
def _sync_class(base: Any) -> Any:
    class Recorded(base):  # type: ignore[misc]
        def __init__(self, inner: Any, tape: Tape) -> None:
            self._inner = inner
            self._tape = tape

        def __iter__(self) -> Any:
            try:
                for chunk in self._inner:
                    self._tape.keep(chunk)
                    yield chunk
            finally:
                self._tape.stop()

        def close(self) -> None:
            self._tape.stop()
            self._inner.close()

    return Recorded


@cache
def _async_class(base: Any) -> Any:
    class Recorded(base):  # type: ignore[misc]
        def __init__(self, inner: Any, tape: Tape) -> None:
            self._inner = inner
            self._tape = tape

        async def __aiter__(self) -> Any:
            try:
                async for chunk in self._inner:
                    self._tape.keep(chunk)
                    yield chunk
            finally:
                self._tape.stop()

        async def aclose(self) -> None:
            self._tape.stop()
            await self._inner.aclose()

    return Recorded
