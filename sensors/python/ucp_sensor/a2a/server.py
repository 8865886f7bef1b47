"""Agents: requests that they answer, and their extended cards before they are served (a2a-sdk 0.3 and 1.x).

Can't see: request handlers of a program's own that don't inherit from the SDK's.
"""

from inspect import isasyncgenfunction
from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, wrap
from ..sensor import Sensor
from .calls import method_name, observed
from .desk import desk_of


def install(sensor: Sensor, module: ModuleType) -> None:
    for handler in list(vars(module).values()):
        if isinstance(handler, type) and handler.__module__ == module.__name__:
            _install_on(sensor, handler)


def _install_on(sensor: Sensor, handler: type) -> None:
    for name, method in list(vars(handler).items()):
        if not name.startswith("on_") or not callable(method):
            continue
        if name == "on_get_extended_agent_card":
            wrap(handler, name, lambda original: _judged(sensor, original))
        else:
            wrap(handler, name, observed(sensor, "server", method_name(name), isasyncgenfunction(method), _agent_of))


def _agent_of(handler: Any) -> str:
    return str(getattr(getattr(handler, "_agent_card", None), "name", None) or "")


def _judged(sensor: Sensor, original: AnyFunction) -> AnyFunction:
    async def on_get_extended_agent_card(self: Any, *args: Any, **kwargs: Any) -> Any:
        card = await original(self, *args, **kwargs)
        finding = desk_of(sensor).judge(card, "server", "extended card")
        if finding is not None:
            from a2a.utils.errors import ExtendedAgentCardNotConfiguredError

            raise ExtendedAgentCardNotConfiguredError(finding.message)
        return card

    return on_get_extended_agent_card
