"""Bodies of responses as they come, in pieces of any size: JSON, event streams, and the event streams of AWS."""

import base64
import json
import sys
from typing import Any

from .answer import Answer

#: Bytes of a JSON body that are kept; a longer one can't be read.
MAX_JSON = 8 * 1024 * 1024
#: Bytes that wait until somebody looks at them: the pieces that come first must not be late.
BATCH = 32 * 1024
#: Longest line or frame of a stream.
MAX_LINE = 2 * 1024 * 1024


class BodyReader:
    """Reads nothing until ``BATCH`` bytes are there, or the body has ended."""

    def __init__(self, headers: Any, http: Any) -> None:
        """``http``: the HTTP library of the response, whose decoders are used (br and zstd if the program has them)."""
        kind = headers.get("content-type", "")
        self._events = "event-stream" in kind or "amazon.eventstream" in kind
        self._messages = _frames if "amazon.eventstream" in kind else _lines
        self._decoder = _decoder(headers.get("content-encoding", ""), http)
        self._fresh: list[bytes] = []
        self._waiting = 0
        self._rest = b""
        self._size = 0
        self.answer = Answer()

    def feed(self, data: bytes) -> None:
        self._size += len(data)
        if not self._events and self._size > MAX_JSON:
            self._fresh.clear()
            return
        self._fresh.append(data)
        self._waiting += len(data)
        if self._events and self._waiting >= BATCH:
            self._read(False)

    def end(self) -> Answer:
        """The body has ended, or nobody reads on."""
        self._read(True)
        return self.answer

    def _read(self, last: bool) -> None:
        data = b"".join(self._fresh)
        self._fresh.clear()
        self._waiting = 0
        if self._decoder is not None:
            data = self._decoder(data)
        if not self._events:
            self._add(data)
            return
        # A last line without its end was cut; JSON that parses anyway was whole.
        texts, self._rest = self._messages(self._rest + data + (b"\n" if last and self._messages is _lines else b""))
        self._rest = self._rest[:MAX_LINE]
        for text in texts:
            self._add(text)

    def _add(self, text: bytes) -> None:
        try:
            message = json.loads(text)
        except ValueError:
            return
        if isinstance(message, dict):
            self.answer.add(message)


def _lines(data: bytes) -> "tuple[list[bytes], bytes]":
    """The texts of ``data:`` lines, and the line that has not ended."""
    *lines, rest = data.split(b"\n")
    return [line[5:] for line in lines if line.startswith(b"data:")], rest


def _frames(data: bytes) -> "tuple[list[bytes], bytes]":
    """The chunks of AWS's event stream (Bedrock): frames of lengths, headers and a JSON payload with base64 in it."""
    texts: list[bytes] = []
    at = 0
    while at + 16 <= len(data):
        total, head = int.from_bytes(data[at : at + 4], "big"), int.from_bytes(data[at + 4 : at + 8], "big")
        if not 16 <= total <= MAX_LINE or at + total > len(data):
            break
        try:
            payload = json.loads(data[at + 12 + head : at + total - 4])
            texts.append(base64.b64decode(payload["bytes"]))
        except (ValueError, KeyError, TypeError):
            pass  # An exception of the service, or a kind of frame that is no answer.
        at += total
    return texts, data[at:]


def _decoder(encoding: str, http: Any) -> Any:
    """``httpx`` 's own decoder for the encoding: ``None`` for none."""
    if encoding in ("", "identity"):
        return None
    decoders = sys.modules[f"{http.__name__}._decoders"].SUPPORTED_DECODERS
    decoder = decoders[encoding.strip().lower()]()

    def decode(data: bytes) -> bytes:
        if not data:
            return b""
        found = decoder.decode(data)
        return found if isinstance(found, bytes) else b"".join(found)  # httpx2 yields parts.

    return decode
