"""Patterns, ready to inspect texts (src/policy/decide/patterns.ts)."""

from typing import Any, NamedTuple

from ..regex.matcher import Matcher
from ..regex.program import union
from ..regex.spans import Span
from .decision import pointer
from .engine import Engine
from .names import canonical_name


class PatternFinding(NamedTuple):
    """A rule that matched in a text, and where."""

    rule: str
    #: Place of the rule in the policy.
    rank: int
    name: str
    spans: "list[Span]"


class _Rule(NamedTuple):
    pointer: str
    name: str
    matcher: Matcher


class Patterns:
    """One section of patterns. Order: the author's own, then the builtin sets."""

    def __init__(self, section: "dict[str, Any]", at: str, engine: Engine) -> None:
        self.action = str(section.get("action") or "block")
        own = [
            (at + pointer("deny", index), canonical_name(entry["name"]), engine.regex(entry["regex"]))
            for index, entry in enumerate(section.get("deny") or [])
        ]
        builtin = [
            (at + pointer("builtin", index), f"{name}/{pattern}", program)
            for index, name in enumerate(section.get("builtin") or [])
            for pattern, program in engine.builtin(name)
        ]
        programs = own + builtin
        self.rules = [_Rule(where, name, Matcher(program)) for where, name, program in programs]
        #: Matches where any of the rules does: most texts need no closer look.
        self._any = Matcher(union([program for _where, _name, program in programs]))

    def find(self, text: str, spans: bool) -> "list[PatternFinding]":
        """The rules that match in ``text``, in the order of the policy. Spans only when asked for."""
        if not self._any.test(text):
            return []
        return [
            PatternFinding(rule.pointer, rank, rule.name, rule.matcher.spans(text) if spans else [])
            for rank, rule in enumerate(self.rules)
            if rule.matcher.test(text)
        ]


def compile_patterns(section: "dict[str, Any] | None", at: str, engine: Engine) -> "Patterns | None":
    """``None`` when there are no patterns."""
    if section is None:
        return None
    patterns = Patterns(section, at, engine)
    return patterns if patterns.rules else None


def redacted(text: str, found: "list[PatternFinding]") -> str:
    """What was found becomes ``[redacted:NAME]``; spans that touch or overlap become one, named by the first."""
    spans = sorted((span[0], rank, span[1], one.name) for rank, one in enumerate(found) for span in one.spans)
    parts: list[str] = []
    at = index = 0
    while index < len(spans):
        start, _rank, end, name = spans[index]
        index += 1
        while index < len(spans) and spans[index][0] <= end:
            end = max(end, spans[index][2])
            index += 1
        parts += (text[at:start], f"[redacted:{name}]")
        at = end
    return "".join(parts) + text[at:]
