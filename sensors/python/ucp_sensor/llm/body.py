"""Reads along with a response whose body the program reads: chunks pass one by one, nothing is read ahead."""

import sys
import zlib
from typing import Any

from .call import ModelCall

#: Bytes of a body that are kept for its event.
MAX_KEPT = 256 * 1024


class Tape:
    """Keeps the beginning of a body; ``stop`` tells it, however the reading ended."""

    def __init__(self, call: ModelCall, response: Any) -> None:
        self._call = call
        self._response = response
        self._kept = bytearray()

    def keep(self, chunk: bytes) -> None:
        if len(self._kept) < MAX_KEPT:
            self._kept += chunk[: MAX_KEPT - len(self._kept)]

    def stop(self) -> None:
        headers = self._response.headers
        data = decoded(bytes(self._kept), headers.get("content-encoding", ""))
        event_stream = "event-stream" in headers.get("content-type", "")
        self._call.end_with_text(data.decode("utf-8", "replace"), event_stream, self._response.status_code)


def decoded(data: bytes, encoding: str) -> bytes:
    """What can be decompressed with the standard library, cut or not; nothing for other encodings."""
    if encoding in ("", "identity"):
        return data
    if encoding not in ("gzip", "deflate"):
        return b""
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(data)
    except zlib.error:
        return b""


def record(call: ModelCall, response: Any) -> None:
    """Puts a tape on an unread response of ``httpx`` or ``httpx2``."""
    library = sys.modules[type(response).__module__.partition(".")[0]]
    inner = response.stream
    tape = Tape(call, response)
    base = library.AsyncByteStream if isinstance(inner, library.AsyncByteStream) else library.SyncByteStream
    response.stream = (_async_class if base is library.AsyncByteStream else _sync_class)(base)(inner, tape)


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
