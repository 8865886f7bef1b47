"""Clients over Streamable HTTP, both SDK lines: policy on the connection.

Can't see: a function that the program imported by name before the sensor started.
"""

from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, owned, wrap
from ..policy.decision import Decision
from ..policy.mcp import McpRules
from ..sensor import Sensor
from .connect import authenticated, judge_connection
from .medium import Tagged


def install(sensor: Sensor, module: ModuleType) -> None:
    def make(original: AnyFunction) -> AnyFunction:
        def streamable_http_client(url: str, *args: Any, **kwargs: Any) -> Any:
            def decide(rules: McpRules) -> Decision:
                client = kwargs.get("http_client")
                headers = kwargs.get("headers") or (args[0] if args and isinstance(args[0], dict) else None)
                known = authenticated(headers, kwargs.get("auth")) or (
                    client is not None and authenticated(client.headers, getattr(client, "auth", None))
                )
                return rules.servers.decide_http(str(url), "http", known)

            judge_connection(sensor, str(url), "http", decide)
            return Tagged(original(url, *args, **kwargs), "http")

        return streamable_http_client

    # Late 1.x has both; the older name calls the newer one.
    newer = owned(module, "streamable_http_client")
    wrap(module, "streamable_http_client" if newer else "streamablehttp_client", make)
