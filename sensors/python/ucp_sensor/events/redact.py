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


#: Without one of these a text has no credential of that form: most texts need no closer look.
_PREFIXES = ("sk-", "gh", "github_pat_", "xox", "AKIA", "AIza", "eyJ")
_LABELS = ("token", "secret", "passw", "api", "authorization")


def redact_secrets(text: str, limit: int = MAX_TEXT) -> str:
    """``text`` without what looks like a credential, and bounded. Secrets must not leave the process (DESIGN 7)."""
    # What is cut off is looked at too, so that no beginning of a credential stays before the cut.
    clean = text[: limit + _BEYOND] if len(text) > limit else text
    known, labelled, userinfo = _patterns()
    if any(prefix in clean for prefix in _PREFIXES):
        clean = known.sub("[redacted]", clean)
    if ("=" in clean or ":" in clean) and _has_label(clean):
        clean = labelled.sub(r"\1[redacted]", clean)
    if "://" in clean:
        clean = userinfo.sub(r"\1[redacted]@", clean)
    return clean if len(text) <= limit else f"{clean[:limit]}…"


def _has_label(text: str) -> bool:
    """Folded as regular expressions that ignore case do: some letters outside of ASCII stand for one inside."""
    folded = text.casefold()
    return any(label in folded for label in _LABELS)
