"""Agents: requests that they answer, and their extended cards before they are served (a2a-sdk 0.3 and 1.x).

Every heir of ``RequestHandler`` is wrapped when its class is made, the SDK's and a program's own; JSON-RPC, REST and gRPC
servers of both lines all ask it. Can't see: handlers that don't inherit from it.
"""

from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, wrap
from ..sensor import Sensor
from .calls import observed
from .desk import judge


def install(sensor: Sensor, module: ModuleType) -> None:
    base: Any = module.__dict__["RequestHandler"]
    own = vars(base).get("__init_subclass__")

    def made(cls: Any, **kwargs: Any) -> None:
        if own is None:
            super(base, cls).__init_subclass__(**kwargs)
        else:
            own.__func__(cls, **kwargs)
        _install_on(sensor, cls)

    base.__init_subclass__ = classmethod(made)  # type: ignore[arg-type]
    for heir in _heirs(base):
        _install_on(sensor, heir)


def _heirs(base: Any) -> "list[Any]":
    """Classes that were there before the sensor."""
    return [found for heir in base.__subclasses__() for found in (heir, *_heirs(heir))]


def _install_on(sensor: Sensor, handler: type) -> None:
    for name, method in list(vars(handler).items()):
        if not name.startswith("on_") or not callable(method):
            continue
        try:
            if name == "on_get_extended_agent_card":
                wrap(handler, name, lambda original: _judged(sensor, original))
            else:
                wrap(handler, name, observed(sensor, "server", name, _agent_of))
        except Exception as error:
            sensor.report("a2a server", error)


def _agent_of(handler: Any) -> Any:
    return getattr(getattr(handler, "_agent_card", None), "name", None)


def _judged(sensor: Sensor, original: AnyFunction) -> AnyFunction:
    async def on_get_extended_agent_card(self: Any, *args: Any, **kwargs: Any) -> Any:
        card = await original(self, *args, **kwargs)
        finding = judge(sensor, card, "server", "extended card")
        if finding is not None:
            from a2a.utils.errors import ExtendedAgentCardNotConfiguredError

            raise ExtendedAgentCardNotConfiguredError(finding.message)
        return card

    return on_get_extended_agent_card
