"""Cards that are fetched by URL (``A2ACardResolver``; a2a-sdk 0.3 and 1.x).

Can't see: cards that a program fetches by itself; they are judged when a client is made of them.
"""

from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, wrap
from ..sensor import Sensor
from .cards import refusal
from .desk import judge


def install(sensor: Sensor, module: ModuleType) -> None:
    def make(original: AnyFunction) -> AnyFunction:
        async def get_agent_card(self: Any, *args: Any, **kwargs: Any) -> Any:
            card = await original(self, *args, **kwargs)
            finding = judge(sensor, card, "client", "resolver")
            if finding is not None:
                raise refusal(finding)
            return card

        return get_agent_card

    wrap(module.__dict__["A2ACardResolver"], "get_agent_card", make)
