"""Looks at every text of a JSON value (src/policy/decide/inspect.ts)."""

from typing import Any, NamedTuple

from .decision import pointer
from .patterns import Patterns, redacted

#: Nesting that is looked into; what is deeper counts as found, since nobody has read it.
MAX_DEPTH = 200

_MAX_SAFE = 2**53 - 1


class ValueFinding(NamedTuple):
    rule: str
    #: Place of the rule in the policy.
    rank: int
    name: str
    #: JSON pointer of the text in the value; '' is the value itself.
    at: str
    #: True when the text is a key: keys can't be redacted.
    key: bool


def inspect(patterns: Patterns, value: Any) -> "tuple[list[ValueFinding], Any]":
    """What was found, and the value with it replaced. Texts are strings, whole numbers as their decimal digits, and
    keys; each is a text of its own. A number with something found in it becomes a string when it is redacted."""
    walk = _Walk(patterns)
    return walk.findings, walk.item(value, "", 0)


class _Walk:
    def __init__(self, patterns: Patterns) -> None:
        self._patterns = patterns
        self.findings: list[ValueFinding] = []

    def item(self, item: Any, at: str, depth: int) -> Any:
        if isinstance(item, str):
            return self._text(item, item, at)
        if isinstance(item, bool) or item is None:
            return item
        if isinstance(item, (int, float)):
            whole = isinstance(item, int) or item.is_integer()
            return self._text(str(int(item)), item, at) if whole and abs(item) <= _MAX_SAFE else item
        if not isinstance(item, (dict, list, tuple)):
            return item
        if depth >= MAX_DEPTH:
            self.findings.append(ValueFinding(self._patterns.rules[0].pointer, 0, "nested too deeply", at, True))
            return item
        if not isinstance(item, dict):
            return [self.item(entry, at + pointer(index), depth + 1) for index, entry in enumerate(item)]
        return {key: self._entry(key, item[key], at, depth) for key in item}

    def _entry(self, key: Any, entry: Any, at: str, depth: int) -> Any:
        where = at + pointer(str(key))
        found = self._patterns.find(str(key), False)
        self.findings += [ValueFinding(one.rule, one.rank, one.name, where, True) for one in found]
        return self.item(entry, where, depth + 1)

    def _text(self, content: str, original: Any, at: str) -> Any:
        found = self._patterns.find(content, self._patterns.action == "redact")
        if not found:
            return original
        self.findings += [ValueFinding(one.rule, one.rank, one.name, at, False) for one in found]
        return redacted(content, found)
