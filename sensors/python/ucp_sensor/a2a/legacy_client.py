"""The 0.3 line's ``A2AClient``: the card that it is made with and the extended one."""

from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, owned, wrap
from ..sensor import Sensor
from .cards import refusal
from .desk import desk_of


def install(sensor: Sensor, module: ModuleType) -> None:
    def make_init(original: AnyFunction) -> AnyFunction:
        def __init__(self: Any, httpx_client: Any, agent_card: Any = None, *args: Any, **kwargs: Any) -> None:
            finding = desk_of(sensor).judge(agent_card, "client", "client")
            if finding is not None:
                raise refusal(finding)
            original(self, httpx_client, agent_card, *args, **kwargs)

        return __init__

    def make_get(original: AnyFunction) -> AnyFunction:
        async def get_card(self: Any, *args: Any, **kwargs: Any) -> Any:
            card = await original(self, *args, **kwargs)
            finding = desk_of(sensor).judge(card, "client", "extended card")
            if finding is not None:
                raise refusal(finding)
            return card

        return get_card

    client = module.__dict__["A2AClient"]
    wrap(client, "__init__", make_init)
    if owned(client, "get_card"):
        wrap(client, "get_card", make_get)
