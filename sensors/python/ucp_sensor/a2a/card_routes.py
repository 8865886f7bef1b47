"""Cards that an agent serves over HTTP: refused ones are answered with 403 (a2a-sdk 1.x)."""

from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, wrap
from ..sensor import Sensor
from .desk import judge


def install(sensor: Sensor, module: ModuleType) -> None:
    def make(original: AnyFunction) -> AnyFunction:
        def agent_card_to_dict(card: Any, *args: Any, **kwargs: Any) -> Any:
            finding = judge(sensor, card, "server", "well-known URL")
            if finding is not None:
                from starlette.exceptions import HTTPException

                raise HTTPException(403, finding.message)
            return original(card, *args, **kwargs)

        return agent_card_to_dict

    # The routes look it up in their module for every request.
    wrap(module, "agent_card_to_dict", make)
