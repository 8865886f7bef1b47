"""Clients over HTTP with SSE, both SDK lines: policy on the connection.

Can't see: a function that the program imported by name before the sensor started.
"""

from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, wrap
from ..policy.decision import Decision
from ..policy.mcp import McpRules
from ..sensor import Sensor
from .connect import authenticated, judge_connection
from .medium import Tagged


def install(sensor: Sensor, module: ModuleType) -> None:
    def make(original: AnyFunction) -> AnyFunction:
        def sse_client(url: str, *args: Any, **kwargs: Any) -> Any:
            def decide(rules: McpRules) -> Decision:
                headers = args[0] if args else kwargs.get("headers")
                return rules.servers.decide_http(str(url), "sse", authenticated(headers, kwargs.get("auth")))

            judge_connection(sensor, str(url), "sse", decide)
            return Tagged(original(url, *args, **kwargs), "sse")

        return sse_client

    wrap(module, "sse_client", make)
