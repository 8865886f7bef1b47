"""A stream of a session of ``mcp`` 1.x that judges what passes it."""

from collections.abc import Callable
from typing import Any


class JudgedStream:
    """Either end of an anyio stream. ``judge`` gives what to pass on, ``None`` for what goes no further."""

    def __init__(self, inner: Any, judge: "Callable[[Any], Any]") -> None:
        self._inner = inner
        self._judge = judge

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def __aenter__(self) -> "JudgedStream":
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *exc: Any) -> Any:
        return await self._inner.__aexit__(*exc)

    def __aiter__(self) -> "JudgedStream":
        return self

    async def __anext__(self) -> Any:
        while True:
            passed = self._judge(await self._inner.__anext__())
            if passed is not None:
                return passed

    async def receive(self) -> Any:
        while True:
            passed = self._judge(await self._inner.receive())
            if passed is not None:
                return passed

    async def send(self, item: Any) -> None:
        passed = self._judge(item)
        if passed is not None:
            await self._inner.send(passed)
