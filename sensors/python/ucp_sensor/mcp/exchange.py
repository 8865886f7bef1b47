"""One request and its answer, judged: what both SDK lines and both sides share. Works on messages as on the wire."""

from collections.abc import Callable
from time import monotonic
from typing import Any

from ..policy.finding import Target
from ..policy.mcp import McpRules
from ..runtime.cause import cause_of
from ..sensor import Sensor
from .conversation import Conversation
from .court import court_of
from .denial import Refusal
from .listing import Listing, judge_list
from .method_rules import judge_input_requests, judge_method, judge_parameters
from .methods import LIST_METHODS, asked_by, listens_to, side_of

#: Requests of a server that a result carries (2026-07-28: servers send none of their own).
_EMBEDDED = {
    "sampling/createMessage": "mcp_sampling",
    "elicitation/create": "mcp_elicitation",
    "roots/list": "mcp_roots_list",
}


def begin(
    sensor: Sensor, place: str, method: "Callable[[], str]", out: bool, conversation: "Callable[[], Conversation]"
) -> "Exchange | None":
    """The exchange that a request going ``out`` or coming in begins; ``None`` when nobody asks for the side that decides
    on it, or when the sensor itself failed, which is told of at ``place``."""
    try:
        rules = sensor.mcp()
        if rules is None:
            return None
        name = method()
        side = side_of(name, out)
        return Exchange(conversation(), rules, side, name) if rules.watches(side) else None
    except Exception as error:
        sensor.report(place, error)
        return None


class Exchange:
    """``open`` judges the request, ``close`` the result; neither raises. A refusal is for the caller to answer with."""

    def __init__(self, conversation: Conversation, rules: McpRules, side: str, method: str) -> None:
        self.conversation = conversation
        self.rules = rules
        self.side = side
        self.method = method
        self.target: Target | None = None
        #: The parameters to pass on instead, where something was redacted by the rules on methods.
        self.params: dict[str, Any] | None = None
        #: The arguments to pass on instead, where something was redacted in them.
        self.arguments: Any = None
        self._court = court_of(conversation, rules, side)
        self._since = monotonic()
        # Of the session that asks: a server's conversation is that of all its sessions.
        self._pins = conversation.pins

    @property
    def lists(self) -> bool:
        return self.method in LIST_METHODS

    @property
    def reads_result(self) -> bool:
        """Whether the text of the result matters."""
        return self._court is not None or self._scans

    @property
    def _scans(self) -> bool:
        return self.target is not None and self.rules.scans(self.target, "responses")

    def open(self, named: "dict[str, Any]", params: "Callable[[], dict[str, Any]]") -> "Refusal | None":
        """Judges by the rules on methods, then by lists, pins and argument patterns, in this order; the first refusal
        ends it. ``named`` is what names the target; all ``params`` are only asked for where somebody looks at them."""
        try:
            return self._open(named, params)
        except Exception as error:
            return self.failed(error)

    def close(self, result: "dict[str, Any]") -> "Refusal | dict[str, Any]":
        """The result to pass on: the same object where nothing had to change."""
        try:
            return self._close(result)
        except Exception as error:
            return self.failed(error) or result

    def error(self) -> None:
        """The request was answered with an error, or never."""
        try:
            self.conversation.answered(self.method, self.side, self.target, self._since, "error", {})
        except Exception as error:
            self.conversation.sensor.report(f"mcp {self.method}", error)

    def done(self, outcome: str, more: "dict[str, Any]") -> None:
        self.conversation.answered(self.method, self.side, self.target, self._since, outcome, more)

    def failed(self, error: BaseException) -> "Refusal | None":
        """What is refused when the sensor itself failed (invariant 5: ``on_error``)."""
        return self.conversation.failed(self.rules, self.method, self.side, error)

    def cause(self, request_id: Any) -> "dict[str, Any] | None":
        """What runtime events name as their cause while the request is answered."""
        try:
            name = None if self.target is None else self.target.name
            return cause_of(self.method, self.conversation.server, name, request_id)
        except Exception as error:
            self.conversation.sensor.report(f"mcp {self.method}", error)
            return None

    def passed_params(self, params: Any) -> Any:
        """The parameters to pass on instead, where something was redacted."""
        passed = params if self.params is None else self.params
        return passed if self.arguments is None else {**passed, "arguments": self.arguments}

    def _open(self, named: "dict[str, Any]", params: "Callable[[], dict[str, Any]]") -> "Refusal | None":
        if self._court is not None:
            refusal, value = judge_parameters(self._court, self.method, params())
            if refusal is not None:
                return refusal
            if value is not None:
                self.params = value
                return self._open_named(value, lambda: value)
        return self._open_named(named, params)

    def _open_named(self, named: "dict[str, Any]", params: "Callable[[], dict[str, Any]]") -> "Refusal | None":
        asked = asked_by(self.method, named)
        if asked is None:
            return self._open_others(named)
        target = self.target = Target(self.side, asked.kind, self.conversation.server, asked.name)
        finding = self.rules.entry(target)
        if finding is None and target.kind == "tool" and self._pins.changed(target.name):
            finding = self.rules.changed_tool(target)
        refusal = self._first_refusal((finding,))
        if refusal is not None or not asked.call or not self.rules.scans(target, "arguments"):
            return refusal
        given = params().get("arguments")
        if given is None:
            return None
        scanned = self.rules.content(target, "arguments", given)
        if scanned.changed:
            self.arguments = scanned.value
        return self._first_refusal(scanned.findings)

    def _open_others(self, named: "dict[str, Any]") -> "Refusal | None":
        for uri in listens_to(self.method, named):
            target = self.target = Target(self.side, "resource", self.conversation.server, uri)
            refusal = self._first_refusal((self.rules.entry(target),))
            if refusal is not None:
                return refusal
        self.target = self.conversation.tasks.call_of(self.method, named)
        return None

    def _first_refusal(self, findings: "Any") -> "Refusal | None":
        for finding in findings:
            if finding is None:
                continue
            refusal = self.conversation.found(self.method, self.target, finding, self.side)
            if refusal is not None:
                return refusal
        return None

    def _close(self, result: "dict[str, Any]") -> "Refusal | dict[str, Any]":
        more: dict[str, Any] = {}
        passed = result
        self.learn_task(result)
        if self.lists:
            listing = self.judge_list(result)
            passed = listing.filtered(result)
            more = {"listed": listing.kept, "hidden": listing.hidden}
        if self._court is not None:
            refusal, value = judge_method(self._court, self.method, "responses", passed)
            if refusal is not None:
                return refusal
            passed = passed if value is None else value
        if self._scans and self.target is not None:
            scanned = self.rules.content(self.target, "responses", passed)
            refusal = self._first_refusal(scanned.findings)
            if refusal is not None:
                return refusal
            passed = scanned.value
        self.done("tool_error" if result.get("isError") is True else "ok", more)
        if self._court is not None:
            refusal, value = judge_input_requests(self._court, passed)
            if refusal is not None:
                return refusal
            passed = passed if value is None else value
        self._tell_embedded(passed.get("inputRequests"))
        return passed

    def learn_task(self, result: "dict[str, Any]") -> None:
        """Remembers what was called, if the result is a task: that of the call is fetched later."""
        self.conversation.tasks.learn(self.target, result)

    def judge_list(self, result: "dict[str, Any]") -> Listing:
        return judge_list(self.conversation, self.rules, self.side, result, self._pins)

    def _tell_embedded(self, requests: Any) -> None:
        """Tells of requests that a result carries."""
        if not isinstance(requests, dict):
            return
        for request in requests.values():
            method = str(request.get("method")) if isinstance(request, dict) else ""
            name = _EMBEDDED.get(method)
            if name is not None:
                self.conversation.seen(name, method, self.side)
