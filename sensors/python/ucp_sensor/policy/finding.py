"""What a decision says."""

from typing import Any, NamedTuple

from ..events.line import Violation


class Target(NamedTuple):
    """One entry of an MCP server: a tool or prompt by name, a resource by URI or URI template. Or a method."""

    #: ``client`` or ``server``: the end of the conversation that decides.
    side: str
    #: ``tool``, ``resource``, ``prompt`` or ``method``.
    kind: str
    #: The server's own name.
    server: str
    name: str


class Finding(NamedTuple):
    """A rule that was broken; ``advice`` is one line that a model can act on."""

    rule: str
    mode: str
    action: str
    message: str
    advice: str

    @property
    def blocks(self) -> bool:
        return self.action == "blocked"

    @property
    def violation(self) -> Violation:
        return Violation(self.rule, self.mode, self.action, self.message)


class Scanned(NamedTuple):
    """What patterns found; ``value`` is what to pass on, ``changed`` where something was redacted."""

    findings: "tuple[Finding, ...]"
    value: Any
    changed: bool = False
