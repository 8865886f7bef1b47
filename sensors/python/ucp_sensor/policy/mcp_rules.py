"""Rules for the tools, resources and prompts of MCP servers, and for methods (src/policy/decide/mcp-rules.ts)."""

from collections.abc import Sequence
from typing import Any

from .decision import pointer
from .engine import Engine, List
from .inherit import inherit
from .names import NameList, canonical_name
from .patterns import compile_patterns
from .uri import canonical_uri

SECTIONS = {"tool": "tools", "resource": "resources", "prompt": "prompts", "method": "methods"}


class Rules:
    """What holds for one kind of thing on one server. Patterns are compiled when they are first needed."""

    def __init__(self, rules: "dict[str, Any]", kind: str, at: str, engine: Engine) -> None:
        self.pointer = at
        self.deny = _list(rules.get("deny_list"), kind, engine)
        self.allow = _list(rules.get("allow_list"), kind, engine)
        self.patterns = {
            part: compile_patterns(rules.get(part), f"{at}/{part}", engine) for part in ("arguments", "responses")
        }


def _list(entries: "list[str] | None", kind: str, engine: Engine) -> "List | None":
    if entries is None:
        return None
    return UriList(entries, engine) if kind == "resource" else NameList(entries)


class UriList:
    """Globs over resource URIs; a lone ``*`` stands for every URI, slashes included, as it does for names."""

    def __init__(self, entries: "list[str]", engine: Engine) -> None:
        self._globs = engine.globs(entries)
        self._every = entries.index("*") if "*" in entries else -1

    def find(self, text: str) -> int:
        found = self._globs.find(canonical_uri(text))
        if self._every < 0:
            return found
        return self._every if found < 0 else min(found, self._every)


class SideRules:
    """One side's rules by kind and by canonical server name."""

    def __init__(self, path: "Sequence[dict[str, Any] | None]", side: "dict[str, Any] | None", at: str, engine: Engine):
        self.mode = inherit([*path, side])
        #: The rule that a tool stays what it was, where there is one.
        self.pins = f"{at}/pin_tools" if (side or {}).get("pin_tools") is True else None
        self._rules = {
            kind: {
                canonical_name(server): Rules(rules, kind, at + pointer(section, server), engine)
                for server, rules in ((side or {}).get(section) or {}).items()
            }
            for kind, section in SECTIONS.items()
        }

    def has(self, kind: str) -> bool:
        """Whether there are rules for this kind of thing at all."""
        return bool(self._rules[kind])

    def rules(self, kind: str, server: "str | None") -> "Rules | None":
        """The rules that hold for a server: its own, else those of ``*``. An unknown server has only ``*``."""
        rules = self._rules[kind]
        own = None if server is None else rules.get(canonical_name(server))
        return own or rules.get("*")
