"""Takes credentials out of what events carry (the same forms as the JavaScript sensor's)."""

from functools import lru_cache
from re import IGNORECASE, Pattern, compile

#: Longest text that an event carries of one value, in code points.
MAX_TEXT = 512

#: Code points after the longest text that are looked at.
_BEYOND = 4096

# Credentials by their well-known form. Linear: no repetition inside a repetition.
_KNOWN = (
    r"\b(?:sk-[\w-]{8,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|xox[abprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}"
    r"|AIza[\w-]{30,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)"
)
_LABELLED = r"((?:token|secret|passw(?:or)?d|api[-_]?key|authorization)[\"']?\s{0,3}[=:]\s{0,3}(?:bearer\s)?)[^\s\"'&]+"
_USERINFO = r"(://[^\s/:@]{0,128}:)[^\s/@]{1,256}@"


@lru_cache(maxsize=1)
def _patterns() -> "tuple[Pattern[str], Pattern[str], Pattern[str]]":
    return compile(_KNOWN), compile(_LABELLED, IGNORECASE), compile(_USERINFO)


def redact_secrets(text: str, limit: int = MAX_TEXT) -> str:
    """``text`` without what looks like a credential, and bounded. Secrets must not leave the process (DESIGN 7)."""
    known, labelled, userinfo = _patterns()
    # What is cut off is looked at too, so that no beginning of a credential stays before the cut.
    looked = text[: limit + _BEYOND] if len(text) > limit else text
    clean = userinfo.sub(r"\1[redacted]@", labelled.sub(r"\1[redacted]", known.sub("[redacted]", looked)))
    return clean if len(text) <= limit else f"{clean[:limit]}…"
