"""Which transport a client session talks over: remembered with the stream that the transport yields."""

from typing import Any
from weakref import WeakKeyDictionary

_MEDIA: "WeakKeyDictionary[Any, str]" = WeakKeyDictionary()


class Tagged:
    """An SDK's transport context manager whose read stream is remembered."""

    def __init__(self, manager: Any, medium: str) -> None:
        self._manager = manager
        self._medium = medium

    async def __aenter__(self) -> Any:
        streams = await self._manager.__aenter__()
        try:
            _MEDIA[_plain(streams[0])] = self._medium
        except Exception:
            pass  # A stream that can't be remembered: its session's transport is told as `memory`.
        return streams

    async def __aexit__(self, *exc: Any) -> Any:
        return await self._manager.__aexit__(*exc)


def medium_of(session: Any) -> str:
    """``stdio``, ``http`` or ``sse``; ``memory`` for anything else."""
    dispatcher = getattr(session, "_dispatcher", None)
    for owner in (session, dispatcher):
        stream = getattr(owner, "_read_stream", None)
        try:
            if stream is not None and _plain(stream) in _MEDIA:
                return _MEDIA[_plain(stream)]
        except TypeError:
            continue
    return "memory"


def _plain(stream: Any) -> Any:
    """The anyio stream: 2.x wraps it in an object that can't be referred to weakly."""
    return getattr(stream, "_inner", stream)
