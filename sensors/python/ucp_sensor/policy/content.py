"""What happens to captured prompts and responses before an event leaves the process (``llm.redact``)."""

from typing import Any

from ..events.redact import MARK, names_secret, redact_secrets
from .engine import Engine
from .file import PolicyFile
from .patterns import compile_patterns, redacted

#: Longest captured text, in code points; what is longer is cut and says so.
MAX_TEXT = 16_384
#: Entries of a captured list, and nesting that is captured.
MAX_ENTRIES = 200
MAX_DEPTH = 12
#: Code points of all texts of one event; every value counts as so many more.
MAX_TOTAL = 256 * 1024
PER_VALUE = 8
#: Stands for what has no room.
CUT = "[cut]"


class ContentRules:
    def __init__(self, file: PolicyFile) -> None:
        section = file.policy.get("llm") or {}
        self._patterns = compile_patterns(section.get("redact"), "/llm/redact", Engine(file.programs))

    def text(self, text: str) -> str:
        """Credentials of well-known forms and what the policy's patterns match are replaced; long texts are cut."""
        if self._patterns is not None:
            found = self._patterns.find(text, True)
            text = redacted(text, found) if found else text
        return redact_secrets(text, MAX_TEXT)

    def value(self, value: Any) -> Any:
        """The same for every text of a value, as JSON. What isn't JSON becomes the name of its type."""
        return _Walk(self).value(value, 0)


class _Walk:
    def __init__(self, rules: ContentRules) -> None:
        self._rules = rules
        self._room = MAX_TOTAL

    def text(self, text: str) -> str:
        clean = self._rules.text(text)
        room, self._room = self._room, max(0, self._room - len(clean))
        return clean if len(clean) <= room else f"{clean[:room]}{CUT}"

    def value(self, value: Any, depth: int) -> Any:
        if self._room <= 0:
            return CUT
        self._room = max(0, self._room - PER_VALUE)
        if isinstance(value, str):
            return self.text(value)
        if value is None or isinstance(value, (bool, int, float)):
            return value
        if depth >= MAX_DEPTH:
            return "[nested too deeply]"
        if isinstance(value, dict):
            entries = list(value.items())[:MAX_ENTRIES]
            probability = "logprob" in value  # Of a ``token`` of text.
            return {
                self.text(str(key)): MARK
                if isinstance(entry, str) and not probability and names_secret(str(key))
                else self.value(entry, depth + 1)
                for key, entry in entries
                if _is_set(entry)
            }
        if isinstance(value, (list, tuple)):
            return [self.value(entry, depth + 1) for entry in value[:MAX_ENTRIES]]
        dump = getattr(value, "model_dump", None)
        if dump is not None:
            return self.value(dump(mode="json", exclude_none=True), depth)
        return f"[{type(value).__name__}]"


def _is_set(value: Any) -> bool:
    """Some vendors' SDKs leave markers for what was not given."""
    return type(value).__name__ not in ("NotGiven", "Omit", "_NotGiven", "_Omit")
