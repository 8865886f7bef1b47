"""Extended cards that clients fetch: judged before client and transport keep them (a2a-sdk 0.3 and 1.x)."""

from inspect import signature
from typing import Any

from ..load.wrap import AnyFunction
from ..sensor import Sensor
from .cards import refusal
from .desk import judge


def judged_extended(sensor: Sensor, original: AnyFunction) -> AnyFunction:
    verifies = "signature_verifier" in signature(original).parameters

    async def get_card(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not verifies:
            return await _older(sensor, original, self, args, kwargs)
        own = kwargs.get("signature_verifier")

        def verifier(card: Any) -> None:
            """Runs before client and transport keep the card."""
            finding = judge(sensor, card, "client", "extended card")
            if finding is not None:
                raise refusal(finding)
            if own is not None:
                own(card)

        return await original(self, *args, **{**kwargs, "signature_verifier": verifier})

    return get_card


async def _older(sensor: Sensor, original: AnyFunction, client: Any, args: Any, kwargs: Any) -> Any:
    """Up to 0.3.20, and in ``A2AClient``, the card is kept before it is returned, by the transport even where the client
    keeps the old one: a refused one is taken out again."""
    transport = getattr(client, "_transport", None)
    names = ((client, "_card"), (transport, "agent_card"), (transport, "_needs_extended_card"))
    before = [(owner, name, getattr(owner, name)) for owner, name in names if hasattr(owner, name)]
    card = await original(client, *args, **kwargs)
    for candidate in (card, getattr(transport, "agent_card", None)):
        finding = judge(sensor, candidate, "client", "extended card")
        if finding is not None:
            for owner, name, value in before:
                setattr(owner, name, value)
            raise refusal(finding)
    return card
