"""What a server asks of a client on ``mcp`` 2.x, where the client answers (eras before 2026-07-28)."""

from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, owned, wrap
from ..sensor import Sensor
from .client2 import client_conversation
from .exchange import begin
from .raw_exchange import run_raw


def install(sensor: Sensor, module: ModuleType) -> None:
    def make(original: AnyFunction) -> AnyFunction:
        async def _on_request(self: Any, dctx: Any, method: str, params: Any) -> Any:
            exchange = begin(sensor, "mcp client", lambda: method, False, lambda: client_conversation(sensor, self))
            if exchange is None:
                return await original(self, dctx, method, params)
            return await run_raw(exchange, params, lambda passed: original(self, dctx, method, passed))

        return _on_request

    session = module.__dict__["ClientSession"]
    if owned(session, "_on_request"):  # 1.x: asked1.py.
        wrap(session, "_on_request", make)
