"""What agent cards may say (src/policy/decide/a2a.ts)."""

from collections.abc import Iterator
from typing import Any

from .decision import Breach, Decision, permitted, quoted, violated
from .engine import Engine
from .file import PolicyFile
from .inherit import inherit, on_error_of
from .patterns import Patterns, compile_patterns


class CardRules:
    """Decides on a card given as JSON has it (``name``, ``description``, ``skills``)."""

    def __init__(self, file: PolicyFile) -> None:
        section = file.policy.get("a2a")
        card = (section or {}).get("agent_card") or {}
        skills = (card.get("skills") or {}).get("description")
        engine = Engine(file.programs)
        at = "/a2a/agent_card"
        self.mode = inherit([section])
        self.fails_closed = on_error_of(section, self.mode.mode) == "block"
        self._name = compile_patterns(card.get("name"), f"{at}/name", engine)
        self._description = compile_patterns(card.get("description"), f"{at}/description", engine)
        self._skill = compile_patterns(skills, f"{at}/skills/description", engine)

    def decide(self, card: "dict[str, Any]") -> Decision:
        """Name, description, then the skills' descriptions; the first text that a pattern matches decides. Cards are
        signed documents: ``action: redact`` refuses them like ``block``."""
        enabled, mode = self.mode
        if not enabled:
            return permitted("observe")
        name = quoted(str(card.get("name") or ""))
        for patterns, text, what in self._texts(card):
            found = [] if patterns is None or not isinstance(text, str) else patterns.find(text, False)
            if not found:
                continue
            rule, matched = found[0].rule, quoted(found[0].name)
            remedy = "Use another agent, or change the rule if the text is meant to pass."
            what = f"The {what} of agent {name} matches {matched}."
            return violated(mode, Breach(rule, what, f"talking to the agent {name}", remedy))
        return permitted(mode)

    def _texts(self, card: "dict[str, Any]") -> "Iterator[tuple[Patterns | None, Any, str]]":
        yield self._name, card.get("name"), "name"
        yield self._description, card.get("description"), "description"
        for skill in card.get("skills") or []:
            called = quoted(str(skill.get("name") or ""))
            yield self._skill, skill.get("description"), f"description of skill {called}"
