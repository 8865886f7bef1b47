"""Clients: cards that they are made with, extended cards, and what is asked of the agent (a2a-sdk 0.3 and 1.x).

Whatever the transport (JSON-RPC, REST, gRPC). Can't see: what a transport does that a program uses without a client.
"""

from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, owned, wrap
from ..sensor import Sensor
from .calls import observed
from .cards import refusal
from .desk import judge
from .extended import judged_extended

#: Methods that are requests to the agent; what a version doesn't have is passed over.
CALLS = (
    "send_message", "get_task", "list_tasks", "cancel_task", "subscribe", "resubscribe", "set_task_callback",
    "get_task_callback", "create_task_push_notification_config", "get_task_push_notification_config",
    "list_task_push_notification_configs", "delete_task_push_notification_config", "send_message_streaming",
)  # fmt: skip


def install(sensor: Sensor, module: ModuleType) -> None:
    client = module.__dict__["BaseClient"]
    wrap(client, "__init__", lambda original: _judged_init(sensor, original))
    observe(sensor, client, ("get_extended_agent_card", "get_card"), _agent_of)


def observe(sensor: Sensor, client: type, cards: "tuple[str, ...]", agent_of: Any) -> None:
    """Wraps a client's requests, and those for extended cards."""
    for name in cards:
        if owned(client, name):
            wrap(client, name, lambda original: judged_extended(sensor, original))
    for name in CALLS:
        if owned(client, name):
            wrap(client, name, observed(sensor, "client", name, agent_of))


def _agent_of(client: Any) -> Any:
    return getattr(getattr(client, "_card", None), "name", None)


def _judged_init(sensor: Sensor, original: AnyFunction) -> AnyFunction:
    def __init__(self: Any, card: Any, *args: Any, **kwargs: Any) -> None:
        finding = judge(sensor, card, "client", "client")
        if finding is not None:
            raise refusal(finding)
        original(self, card, *args, **kwargs)

    return __init__
