"""What decisions say (src/policy/decide/decision.ts, word for word: vectors compare the texts)."""

import json
from typing import NamedTuple


class Decision(NamedTuple):
    """The answer to one question. ``message`` is for a person, ``advice`` one line for a model."""

    allowed: bool
    mode: str
    action: str = "allowed"
    violation: bool = False
    rule: "str | None" = None
    message: str = ""
    advice: str = ""


class Breach(NamedTuple):
    """What broke a rule. ``what`` and ``remedy`` are sentences; ``brief`` names the thing in the line for a model."""

    rule: str
    what: str
    brief: str
    remedy: str


def permitted(mode: str) -> Decision:
    return Decision(True, mode)


def violated(mode: str, breach: Breach) -> Decision:
    """A rule was broken: refused in enforce mode, let through in observe mode."""
    enforced = mode == "enforce"
    verb = "Blocked" if enforced else "Would be blocked"
    advice = (
        f"Operator policy does not permit {breach.brief}. Do not retry it and do not work around it; "
        "report this to the user."
    )
    return Decision(
        allowed=not enforced,
        mode=mode,
        action="blocked" if enforced else "allowed",
        violation=True,
        rule=breach.rule,
        message=f"{breach.what} {verb} by {breach.rule}. {breach.remedy}",
        advice=advice if enforced else "",
    )


def pointer(*segments: "str | int") -> str:
    """JSON pointer (RFC 6901)."""
    return "".join("/" + str(segment).replace("~", "~0").replace("/", "~1") for segment in segments)


def quoted(name: str) -> str:
    """A name in a message: quoted, control characters visible, cut when it is long (200 UTF-16 units)."""
    units = name.encode("utf-16-le", "surrogatepass")
    if len(units) > 400:
        name = units[:400].decode("utf-16-le", "surrogatepass") + "…"
    text = json.dumps(name, ensure_ascii=False)
    return "".join(f"\\u{ord(char):04x}" if "\ud800" <= char <= "\udfff" else char for char in text)
