"""Decides by the rules on methods and tells of what it finds."""

from ..policy.finding import Target
from ..policy.mcp import McpRules
from .conversation import Conversation
from .denial import Refusal
from .method_rules import PASSES, Json, Verdict


class MethodCourt:
    """One side of a conversation; see :class:`~.method_rules.Court`."""

    def __init__(self, conversation: Conversation, rules: McpRules, side: str) -> None:
        self._conversation = conversation
        self._rules = rules
        self._side = side

    def name(self, method: str) -> "Refusal | None":
        target = self._target(method)
        finding = self._rules.entry(target)
        return None if finding is None else self._conversation.found(method, target, finding, self._side)

    def content(self, method: str, part: str, value: Json) -> Verdict:
        target = self._target(method)
        if not self._rules.scans(target, part):
            return PASSES
        scanned = self._rules.content(target, part, value)
        for finding in scanned.findings:
            refusal = self._conversation.found(method, target, finding, self._side)
            if refusal is not None:
                return Verdict(refusal)
        return Verdict(None, scanned.value) if scanned.changed else PASSES

    def _target(self, method: str) -> Target:
        return Target(self._side, "method", self._conversation.server, method)


def court_of(conversation: Conversation, rules: McpRules, side: str) -> "MethodCourt | None":
    """``None`` where there are no rules on methods."""
    return MethodCourt(conversation, rules, side) if rules.rules_methods(side) else None
