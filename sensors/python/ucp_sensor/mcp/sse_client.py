"""Clients over HTTP with SSE, both SDK lines: policy on the connection.

Can't see: a function that the program imported by name before the sensor started.
"""

from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, wrap
from ..sensor import Sensor
from .connect import authenticated, judge_connection
from .medium import Tagged


def install(sensor: Sensor, module: ModuleType) -> None:
    def make(original: AnyFunction) -> AnyFunction:
        def sse_client(url: str, *args: Any, **kwargs: Any) -> Any:
            headers = args[0] if args else kwargs.get("headers")
            known = authenticated(headers, kwargs.get("auth"))
            judge_connection(sensor, str(url), "sse", lambda rules: rules.servers.decide_http(str(url), "sse", known))
            return Tagged(original(url, *args, **kwargs), "sse")

        return sse_client

    wrap(module, "sse_client", make)
