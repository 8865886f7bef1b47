"""Takes credentials out of what events carry (the same forms as the JavaScript sensor's)."""

from collections.abc import Sequence
from functools import lru_cache
from re import IGNORECASE, Pattern, compile
from typing import NamedTuple

#: Longest text that an event carries of one value, in code points.
MAX_TEXT = 512

#: Longest name, address, path or message.
MAX_NAME = 4096

#: Code points after the longest text that are looked at.
_BEYOND = 4096

# Credentials by their well-known form. Linear: no repetition inside a repetition.
_KNOWN = (
    r"\b(?:sk-[\w-]{8,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|xox[abprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}"
    r"|AIza[\w-]{30,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)"
)
#: What a credential is called: the end of the name of a flag, a variable, a header, a member of an object.
_LABEL = r"(?:token|secret|passw(?:or)?d|passphrase|(?:api|access|secret|private|account)[-_]?key|authorization|credentials?)"
#: Before a credential in a header.
_SCHEME = r"(?:(?:basic|bearer|digest|negotiate|token)\s{1,3})"
#: ``token=…``, ``password: "…"``, ``Authorization: Basic …``, also in JSON and in JSON inside of JSON.
_LABELLED = (
    rf"({_LABEL}\\?[\"']?\s{{0,3}}[=:]\s{{0,3}})"
    rf"(?:(\")(?:[^\"\\]|\\.)*|(\\\")[^\"\\]*|(')[^']*|({_SCHEME}?)[^\s\"'&{{][^\s\"'&]*)"
)
#: ``--api-key …``
_FLAG = rf"((?:^|\s)--?[\w-]{{0,64}}{_LABEL}\s{{1,3}}[\"']?)(?!-)[^\s\"']+"
#: ``curl -u user:password``, ``//user:password@``, ``Cookie: name=value``
_USER = r"((?:^|\s)(?:-u|--(?:proxy-)?user)[\s=]{1,3}[\"']?[^\s:\"']{1,128}:)[^\s\"']+"
_USERINFO = r"(://[^\s/:@]{0,128}:)[^\s/@]{1,256}@"
_COOKIE = r"(cookie[\"']?\s{0,3}:\s{0,3}[\"']?[^\s\"'=]{1,128}=)[^\"'\r\n]*"
#: An argument after which a credential comes, or a user with its password.
_ASKS = rf"--?[\w-]{{0,64}}{_LABEL}"
_ASKS_USER = ("-u", "--user", "--proxy-user")

#: Stands for a credential.
MARK = "[redacted]"


class _Patterns(NamedTuple):
    known: "Pattern[str]"
    labelled: "Pattern[str]"
    flag: "Pattern[str]"
    user: "Pattern[str]"
    userinfo: "Pattern[str]"
    cookie: "Pattern[str]"
    asks: "Pattern[str]"
    #: The name of a member whose value is a credential.
    names: "Pattern[str]"


@lru_cache(maxsize=1)
def _patterns() -> _Patterns:
    return _Patterns(
        compile(_KNOWN),
        compile(_LABELLED, IGNORECASE),
        compile(_FLAG, IGNORECASE),
        compile(_USER),
        compile(_USERINFO),
        compile(_COOKIE, IGNORECASE),
        compile(_ASKS, IGNORECASE),
        compile(rf"{_LABEL}\Z", IGNORECASE),
    )


#: Without one of these a text has no credential of that form: most texts need no closer look.
_PREFIXES = ("sk-", "gh", "github_pat_", "xox", "AKIA", "AIza", "eyJ")
_LABELS = ("token", "secret", "passw", "passp", "key", "authorization", "credential")


def redact_secrets(text: str, limit: int = MAX_TEXT) -> str:
    """``text`` without what looks like a credential, and bounded. Secrets must not leave the process (DESIGN 7)."""
    # What is cut off is looked at too, so that no beginning of a credential stays before the cut.
    clean = text[: limit + _BEYOND] if len(text) > limit else text
    patterns = _patterns()
    if any(prefix in clean for prefix in _PREFIXES):
        clean = patterns.known.sub(MARK, clean)
    # Folded as regular expressions that ignore case do: some letters outside of ASCII stand for one inside.
    folded = clean.casefold()
    if any(label in folded for label in _LABELS):
        clean = patterns.labelled.sub(rf"\1\2\3\4\5{MARK}", clean)
        clean = patterns.flag.sub(rf"\1{MARK}", clean) if "-" in clean else clean
    if "-u" in clean:
        clean = patterns.user.sub(rf"\1{MARK}", clean)
    if "://" in clean:
        clean = patterns.userinfo.sub(rf"\1{MARK}@", clean)
    if "cookie" in folded:
        clean = patterns.cookie.sub(rf"\1{MARK}", clean)
    return clean if len(text) <= limit else f"{clean[:limit]}…"


def redact_name(name: str) -> str:
    """The same for what comes again and again: the address of a resource may carry a password."""
    return redact_secrets(name, MAX_NAME) if len(name) > MAX_NAME else _redact_short(name)


@lru_cache(maxsize=1024)
def _redact_short(name: str) -> str:
    """Kept; a longer one is not, because a peer decides how long names are."""
    return redact_secrets(name, MAX_NAME)


def redact_arguments(args: "Sequence[str]") -> "list[str]":
    """The same for the arguments of a command, of which one says what the next is."""
    return [_argument(before, arg) for before, arg in zip(("", *args), args, strict=False)]


def _argument(before: str, arg: str) -> str:
    if not arg.startswith("--") and before.startswith("-") and _patterns().asks.fullmatch(before):
        return MARK
    user, colon, password = arg.partition(":")
    if before in _ASKS_USER and user and password:
        return redact_secrets(user + colon) + MARK
    return redact_secrets(arg)


def names_secret(name: str) -> bool:
    """Whether a member of an object that is called so is a credential."""
    return _patterns().names.search(name) is not None
