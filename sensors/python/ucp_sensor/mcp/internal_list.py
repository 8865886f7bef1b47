"""``mcp`` 2.x over HTTP lists a low-level server's tools for itself, to check headers, with the caller's request id.

That listing is nobody's request: it makes no events.
"""

from contextvars import ContextVar
from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, owned, wrap
from ..sensor import Sensor

INTERNAL: "ContextVar[bool]" = ContextVar("ucp_sensor_internal_list", default=False)


def install(sensor: Sensor, module: ModuleType) -> None:
    def make(original: AnyFunction) -> AnyFunction:
        async def _tool_input_schema(*args: Any, **kwargs: Any) -> Any:
            token = INTERNAL.set(True)
            try:
                return await original(*args, **kwargs)
            finally:
                INTERNAL.reset(token)

        return _tool_input_schema

    # Earlier 2.x and later ones may lack it: then its listings make events like any other.
    if owned(module, "_tool_input_schema"):
        wrap(module, "_tool_input_schema", make)
