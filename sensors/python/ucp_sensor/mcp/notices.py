"""Judges notifications, which nobody answers: what is denied goes no further."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ..load.wrap import AnyFunction
from ..sensor import Sensor
from .conversation import Conversation
from .court import court_of
from .ends import End
from .method_rules import judge_method


class Notice(NamedTuple):
    """``passes``: whether it goes on, and with which parameters."""

    passes: bool
    params: Any
    changed: bool = False


def judge_notice(sensor: Sensor, conversation: Conversation, side: str, method: str, params: Any) -> Notice:
    """``side``: what this end of the conversation is, whoever sends the notification. Never raises."""
    rules = None
    try:
        rules = sensor.mcp()
        if rules is None or not rules.watches(side):
            return Notice(True, params)
        court = court_of(conversation, rules, side)
        refusal, value = (None, None) if court is None else judge_method(court, method, "arguments", params)
        if refusal is not None:
            return Notice(False, params)
        if method.endswith("/list_changed"):
            conversation.seen("mcp_list_changed", method, side)
        return Notice(True, params) if value is None else Notice(True, value, True)
    except Exception as error:
        return Notice(conversation.failed(rules, method, side, error) is None, params)


def judging_notify(sensor: Sensor, original: AnyFunction, ends: "Callable[[Any], Iterable[End | None]]") -> AnyFunction:
    """An SDK's function that sends notifications: the rules of all ``ends`` of its sender that are known must let them pass."""

    async def notify(self: Any, method: str, params: Any, *args: Any, **kwargs: Any) -> Any:
        for end in ends(self):
            if end is None:
                continue
            passes, params, _changed = judge_notice(sensor, end.conversation, end.side, method, params)
            if not passes:
                return None
        return await original(self, method, params, *args, **kwargs)

    return notify
