"""Switches of nested sections (the same rules as src/policy/schema/inherit.ts)."""

from collections.abc import Sequence
from typing import Any, NamedTuple


class Mode(NamedTuple):
    enabled: bool
    #: ``observe`` or ``enforce``.
    mode: str


def inherit(path: "Sequence[dict[str, Any] | None]") -> Mode:
    """Resolves a path of sections, outermost first. An absent outermost one means that the sensor is off;
    ``enable: false`` anywhere above wins over what is below; ``remediate`` is the innermost one that is set."""
    sections = [section or {} for section in path]
    enabled = path[0] is not None and all(section.get("enable") is not False for section in sections)
    remediate = next((s["remediate"] for s in reversed(sections) if s.get("remediate") is not None), False)
    return Mode(enabled, "enforce" if remediate else "observe")


def on_error_of(section: "dict[str, Any] | None", mode: str) -> str:
    """What a failing sensor does: the section's ``on_error``, else ``block`` in enforce mode, ``allow`` in observe."""
    configured = (section or {}).get("on_error")
    return str(configured) if configured else ("block" if mode == "enforce" else "allow")
