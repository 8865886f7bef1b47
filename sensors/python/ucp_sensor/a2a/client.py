"""Clients: cards that they are made with, extended cards, and what is asked of the agent (a2a-sdk 0.3 and 1.x).

Can't see: what a transport does that a program uses without ``BaseClient``; the 0.3 ``A2AClient``'s calls (its cards are
judged, see legacy_client.py).
"""

from inspect import isasyncgenfunction, signature
from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, owned, wrap
from ..sensor import Sensor
from .calls import method_name, observed
from .cards import refusal
from .desk import desk_of

#: Methods that are requests to the agent; what a version doesn't have is passed over.
_CALLS = (
    "send_message", "get_task", "list_tasks", "cancel_task", "subscribe", "resubscribe", "set_task_callback",
    "get_task_callback", "create_task_push_notification_config", "get_task_push_notification_config",
    "list_task_push_notification_configs", "delete_task_push_notification_config",
)  # fmt: skip


def install(sensor: Sensor, module: ModuleType) -> None:
    client = module.__dict__["BaseClient"]
    wrap(client, "__init__", lambda original: _judged_init(sensor, original))
    for name in ("get_extended_agent_card", "get_card"):
        if owned(client, name):
            wrap(client, name, lambda original: _judged_extended(sensor, original))
    for name in _CALLS:
        if owned(client, name):
            streams = isasyncgenfunction(vars(client)[name])
            wrap(client, name, observed(sensor, "client", method_name(name), streams, _agent_of))


def _agent_of(client: Any) -> str:
    return str(getattr(getattr(client, "_card", None), "name", None) or "")


def _judged_init(sensor: Sensor, original: AnyFunction) -> AnyFunction:
    def __init__(self: Any, card: Any, *args: Any, **kwargs: Any) -> None:
        finding = desk_of(sensor).judge(card, "client", "client")
        if finding is not None:
            raise refusal(finding)
        original(self, card, *args, **kwargs)

    return __init__


def _judged_extended(sensor: Sensor, original: AnyFunction) -> AnyFunction:
    verifies = "signature_verifier" in signature(original).parameters

    async def get_card(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not verifies:
            return await _older(sensor, original, self, args, kwargs)
        own = kwargs.get("signature_verifier")

        def verifier(card: Any) -> None:
            """Runs before client and transport keep the card."""
            finding = desk_of(sensor).judge(card, "client", "extended card")
            if finding is not None:
                raise refusal(finding)
            if own is not None:
                own(card)

        return await original(self, *args, **{**kwargs, "signature_verifier": verifier})

    return get_card


async def _older(sensor: Sensor, original: AnyFunction, client: Any, args: Any, kwargs: Any) -> Any:
    """Up to 0.3.20 the card is kept before it is returned, by the transport even where the client keeps the old one:
    a refused one is taken out again."""
    transport = getattr(client, "_transport", None)
    names = ((client, "_card"), (transport, "agent_card"), (transport, "_needs_extended_card"))
    before = [(owner, name, getattr(owner, name)) for owner, name in names if hasattr(owner, name)]
    card = await original(client, *args, **kwargs)
    for candidate in (card, getattr(transport, "agent_card", None)):
        finding = desk_of(sensor).judge(candidate, "client", "extended card")
        if finding is not None:
            for owner, name, value in before:
                setattr(owner, name, value)
            raise refusal(finding)
    return card
