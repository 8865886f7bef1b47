"""The 0.3 line's ``A2AClient``: the card that it is made with, the extended one, and what is asked of the agent."""

from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, wrap
from ..sensor import Sensor
from .cards import refusal
from .client import observe
from .desk import judge


def install(sensor: Sensor, module: ModuleType) -> None:
    def make_init(original: AnyFunction) -> AnyFunction:
        def __init__(self: Any, httpx_client: Any, agent_card: Any = None, *args: Any, **kwargs: Any) -> None:
            finding = judge(sensor, agent_card, "client", "client")
            if finding is not None:
                raise refusal(finding)
            original(self, httpx_client, agent_card, *args, **kwargs)

        return __init__

    client = module.__dict__["A2AClient"]
    wrap(client, "__init__", make_init)
    observe(sensor, client, ("get_card",), _agent_of)


def _agent_of(client: Any) -> Any:
    transport = getattr(client, "_transport", None)
    return getattr(getattr(transport, "agent_card", None), "name", None)
