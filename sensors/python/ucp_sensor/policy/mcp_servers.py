"""Which MCP servers may be reached or started (src/policy/decide/mcp-servers.ts)."""

import re
from collections.abc import Sequence
from typing import Any

from .decision import Breach, Decision, permitted, pointer, quoted, violated
from .engine import Engine
from .inherit import inherit
from .uri import canonical_url


class ServerRules:
    """``http_servers`` and ``stdio_servers`` of a section at the pointer ``at``."""

    def __init__(
        self, path: "Sequence[dict[str, Any] | None]", mcp: "dict[str, Any] | None", at: str, engine: Engine
    ) -> None:
        self.mode = inherit(path)
        self._at = at
        self._http = (mcp or {}).get("http_servers") or {}
        self._stdio = (mcp or {}).get("stdio_servers") or {}
        self._exceptions = engine.globs([canonical_url(url) or url for url in self._http.get("exception_list") or []])
        self._commands = [
            (engine.globs([entry["command"]]), entry.get("args")) for entry in self._stdio.get("exception_list") or []
        ]

    def decide_http(self, url: str, transport: str, authenticated: bool) -> Decision:
        """Exceptions are from ``deny_http`` and ``deny_sse``, never from ``force_authentication``."""
        enabled, mode = self.mode
        if not enabled:
            return permitted("observe")
        key = "deny_sse" if transport == "sse" else "deny_http"
        canonical = canonical_url(url)
        excepted = canonical is not None and self._exceptions.find(canonical) >= 0
        shown = quoted(_without_secrets(url))
        brief = f"the connection to the MCP server at {shown}"
        if self._http.get(key) is True and not excepted:
            kind = "SSE" if transport == "sse" else "HTTP"
            what = f"{kind} connections to MCP servers are denied; {shown} is no exception."
            remedy = "Add the URL to http_servers.exception_list to allow it."
            return violated(mode, Breach(self._at + pointer("http_servers", key), what, brief, remedy))
        if self._http.get("force_authentication") is not True or authenticated:
            return permitted(mode)
        what, remedy = (
            f"The connection to {shown} carries no credentials.",
            "Give the client credentials for the server.",
        )
        return violated(mode, Breach(self._at + pointer("http_servers", "force_authentication"), what, brief, remedy))

    def decide_stdio(self, command: str, args: Sequence[str]) -> Decision:
        """With ``deny_stdio`` only the listed combinations of command and arguments may run."""
        enabled, mode = self.mode
        if not enabled:
            return permitted("observe")
        if self._stdio.get("deny_stdio") is not True:
            return permitted(mode)
        if any(globs.find(command) >= 0 and _match(rule, args) for globs, rule in self._commands):
            return permitted(mode)
        what = f"Starting MCP servers is denied; {quoted(command)} with these {len(args)} arguments is no exception."
        brief = f"starting the MCP server {quoted(command)}"
        remedy = "Add command and arguments to stdio_servers.exception_list to allow it."
        return violated(mode, Breach(self._at + pointer("stdio_servers", "deny_stdio"), what, brief, remedy))


def _without_secrets(url: str) -> str:
    """User, query and fragment of a URL may be secrets: they are in no message."""
    return re.sub(r"//[^/]*@", "//", re.sub(r"[?#].*\Z", "", url, flags=re.DOTALL), count=1)


def _match(rule: "list[str] | None", args: Sequence[str]) -> bool:
    """Exact arguments; ``*`` stands for any one, a last ``**`` for all that follow."""
    if rule is None:
        return True
    open_end = bool(rule) and rule[-1] == "**"
    fixed = rule[:-1] if open_end else rule
    if len(args) < len(fixed) if open_end else len(args) != len(fixed):
        return False
    return all(expected in ("*", given) for expected, given in zip(fixed, args, strict=False))
