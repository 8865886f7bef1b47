"""The forms in which resource URIs and server URLs are compared (src/policy/decide/uri.ts)."""

import re

from .names import SPACE

_ESCAPE = re.compile(r"%[0-9a-fA-F]{2}")
_UNRESERVED = re.compile(r"[0-9A-Za-z_.~-]")
_PARTS = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):(?://([^/?#]*))?([^?#]*)(\?[^#]*)?")
_DOTS = re.compile(r"/\.{1,2}(?:/|\Z)")
_URL = re.compile(r"(https?)://([^/?]*)(.*)\Z")
_UNSAFE_HOST = re.compile(rf"[@%\\{SPACE}]")


def canonical_uri(uri: str) -> str:
    """No white space around it, scheme and authority in lower case, unreserved escapes decoded once, dots resolved
    (RFC 3986, 6.2.2), no fragment. Text without a scheme only loses its white space."""
    trimmed = uri.strip(SPACE)
    match = _PARTS.match(_ESCAPE.sub(_decode, trimmed))
    if match is None:
        return trimmed
    scheme = match[1].lower()
    authority = None if match[2] is None else match[2].lower()
    path = _without_dots(match[3])
    query = match[4] or ""
    if scheme == "file" and path.startswith("/"):
        return f"file://{'' if authority in (None, 'localhost') else authority}{path}{query}"
    return f"{scheme}:{'' if authority is None else '//' + authority}{path}{query}"


def _decode(match: "re.Match[str]") -> str:
    char = chr(int(match[0][1:], 16))
    return char if _UNRESERVED.match(char) else match[0].upper()


def _without_dots(path: str) -> str:
    if not path.startswith("/") or not _DOTS.search(path):
        return path
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            if kept:
                kept.pop()
        elif segment != ".":
            kept.append(segment)
    return f"/{'/'.join(kept)}{'/' if segments[-1] in ('.', '..') and kept else ''}"


def canonical_url(url: str) -> "str | None":
    """As :func:`canonical_uri`, default ports and a lone ``/`` taken out; ``None`` for what no rule may let through."""
    match = _URL.match(canonical_uri(url))
    if match is None or match[2] == "" or _UNSAFE_HOST.search(match[2]):
        return None
    host = re.sub(r":443\Z" if match[1] == "https" else r":80\Z", "", match[2])
    host = re.sub(r"\.(?=:|\Z)", "", host, count=1)
    return f"{match[1]}://{host}{'' if match[3] == '/' else match[3]}"
