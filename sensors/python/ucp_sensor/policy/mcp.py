"""MCP decisions of one policy (src/policy/decide/mcp.ts and mcp-content.ts): pure, local, no I/O."""

from typing import Any

from .decision import Breach, Decision, permitted, quoted, violated
from .engine import Engine
from .file import PolicyFile
from .finding import Finding, Scanned, Target
from .inherit import on_error_of
from .inspect import inspect
from .mcp_rules import SideRules
from .mcp_servers import ServerRules

#: What a session cannot do without: no rule on methods holds for these.
_INDISPENSABLE = frozenset(
    {"initialize", "server/discover", "ping", "notifications/initialized", "notifications/cancelled"}
)


class McpRules:
    """``sensor`` is the section that holds: ``python_sensor``, or another one in the shared vectors."""

    def __init__(self, file: PolicyFile, sensor: str) -> None:
        section = file.policy.get(sensor)
        mcp = (section or {}).get("mcp")
        # Without the section `mcp` there is nothing to decide, whatever the sensor's own switches say.
        path = [None if mcp is None else section, mcp]
        self.generation = file.generation
        engine = Engine(file.programs)
        at = f"/{sensor}/mcp"
        self._mcp = mcp or {}
        self._sides = {
            side: SideRules(path, self._mcp.get(side), f"{at}/{side}", engine) for side in ("client", "server")
        }
        self.servers = ServerRules(path, mcp, at, engine)

    def watches(self, side: str) -> bool:
        """Whether anything of this side is to be watched at all."""
        return self._sides[side].mode.enabled

    def rules_methods(self, side: str) -> bool:
        """Whether there are rules on methods; without them nobody asks about one."""
        rules = self._sides[side]
        return rules.mode.enabled and rules.has("method")

    def fails_closed(self, side: str) -> bool:
        """Whether what can't be judged is refused."""
        return on_error_of(self._mcp, self._sides[side].mode.mode) == "block"

    def scans(self, target: Target, part: str) -> bool:
        """Whether patterns look at a call's ``arguments`` or ``responses``."""
        rules = self._sides[target.side].rules(target.kind, target.server)
        return rules is not None and rules.patterns[part] is not None

    def entry(self, target: Target) -> "Finding | None":
        """The deny and allow lists: the same answer for a listing and for a call."""
        return finding_of(self.decide_name(target.side, target.kind, target.server, target.name))

    def changed_tool(self, target: Target) -> "Finding | None":
        """A tool that is not what was listed first in its session, where the policy pins tools."""
        return finding_of(self.decide_change(target.side, target.server, target.name))

    def content(self, target: Target, part: str, value: Any) -> Scanned:
        """The patterns over ``arguments`` or ``responses``."""
        decision, passed = self.decide_content(target.side, target.kind, target.server, target.name, part, value)
        finding = finding_of(decision)
        return Scanned((), value) if finding is None else Scanned((finding,), passed, decision.action == "redacted")

    def decide_name(self, side: str, kind: str, server: "str | None", name: str) -> Decision:
        """``deny_list`` wins over ``allow_list``; an empty ``allow_list`` allows nothing."""
        rules_of_side = self._sides[side]
        enabled, mode = rules_of_side.mode
        if not enabled:
            return permitted("observe")
        rules = rules_of_side.rules(kind, server)
        if rules is None or (kind == "method" and name in _INDISPENSABLE):
            return permitted(mode)
        denied = -1 if rules.deny is None else rules.deny.find(name)
        if denied < 0 and (rules.allow is None or rules.allow.find(name) >= 0):
            return permitted(mode)
        brief = f"the {kind} {quoted(name)}"
        of = "" if server is None else f" of server {quoted(server)}"
        if denied >= 0:
            what, remedy = f"The {kind} {quoted(name)}{of} is denied.", "Take it out of the deny_list to allow it."
            return violated(mode, Breach(f"{rules.pointer}/deny_list/{denied}", what, brief, remedy))
        if rules.allow is None or rules.allow.find(name) >= 0:
            return permitted(mode)
        what, remedy = (
            f"The {kind} {quoted(name)}{of} is not in the allow_list.",
            "Add it to the allow_list to allow it.",
        )
        return violated(mode, Breach(f"{rules.pointer}/allow_list", what, brief, remedy))

    def decide_change(self, side: str, server: "str | None", name: str) -> Decision:
        """Decides on a tool that is not what was listed first in its session."""
        rules_of_side = self._sides[side]
        enabled, mode = rules_of_side.mode
        if not enabled or rules_of_side.pins is None:
            return permitted(mode)
        of = "" if server is None else f" of server {quoted(server)}"
        return violated(
            mode,
            Breach(
                rules_of_side.pins,
                f"The definition of tool {quoted(name)}{of} is not the one that was listed first in this session.",
                f"the tool {quoted(name)}, whose definition has changed",
                "Look at what has changed; a new session pins the tool anew.",
            ),
        )

    def decide_content(
        self, side: str, kind: str, server: "str | None", name: str, part: str, value: Any
    ) -> "tuple[Decision, Any]":
        """Decides on arguments or a result: the rule that is named is the first in the policy that
        matches anywhere (keys have no order that all languages agree on); with ``redact`` in enforce mode all
        matches are replaced, unless one is in a key: then the call is refused."""
        rules_of_side = self._sides[side]
        enabled, mode = rules_of_side.mode
        rules = rules_of_side.rules(kind, server) if enabled else None
        patterns = None if rules is None else rules.patterns[part]
        if patterns is None:
            return permitted(mode if enabled else "observe"), value
        findings, redacted = inspect(patterns, value)
        if not findings:
            return permitted(mode), value
        first = min(findings, key=lambda finding: finding.rank)
        noun = "arguments" if part == "arguments" else "result"
        decision = violated(
            mode,
            Breach(
                first.rule,
                f"The {noun} of {kind} {quoted(name)} match {quoted(first.name)}.",
                f"what is in the {noun} of the {kind} {quoted(name)}",
                "Change the text, or the rule if the text is meant to pass.",
            ),
        )
        if mode != "enforce" or patterns.action != "redact" or any(finding.key for finding in findings):
            return decision, value
        advice = f"Operator policy replaced parts of the {noun} by [redacted:…]. Do not try to obtain them another way."
        message = decision.message.replace("Blocked by", "Redacted by", 1)
        return decision._replace(allowed=True, action="redacted", message=message, advice=advice), redacted


def finding_of(decision: Decision) -> "Finding | None":
    """What an event and a refusal say of a decision; ``None`` when no rule was broken."""
    if not decision.violation or decision.rule is None:
        return None
    return Finding(decision.rule, decision.mode, decision.action, decision.message, decision.advice)
