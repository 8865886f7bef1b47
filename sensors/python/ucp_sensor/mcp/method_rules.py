"""Rules on methods (``mcp.*.methods``): requests and notifications both ways, and what the era 2026-07-28 puts in their
place: requests of the server inside a result (``inputRequests``), their answers inside the retry (``inputResponses``).
The same as src/policy/mcp/method-rules.ts. What has no form of the protocol is left to the SDK, which reads it next."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from .denial import Refusal

Json = dict[str, Any]


class Verdict(NamedTuple):
    """What becomes of a value that was looked at: refused, replaced, or neither."""

    refusal: "Refusal | None" = None
    value: "Json | None" = None


PASSES = Verdict()


class Court(Protocol):
    """Who decides on methods in one conversation, and tells of what is found."""

    def name(self, method: str) -> "Refusal | None":
        """The deny and allow lists."""
        ...

    def content(self, method: str, part: str, value: Json) -> Verdict:
        """The patterns."""
        ...


def judge_method(court: Court, method: str, part: str, value: Any) -> Verdict:
    """Judges parameters or a result by the rules of its method; parameters by the lists, too."""
    refusal = court.name(method) if part == "arguments" else None
    if refusal is not None:
        return Verdict(refusal)
    return court.content(method, part, value) if isinstance(value, dict) else PASSES


def judge_parameters(court: Court, method: str, params: Any) -> Verdict:
    """Judges the parameters of a request and the answers that they carry; ``value``: what to pass on instead."""
    own = judge_method(court, method, "arguments", params)
    passed = params if own.value is None else own.value
    if own.refusal is not None or not isinstance(passed, dict):
        return own
    answers = _judge_each(passed, "inputResponses", lambda response: _judge_answer(court, response))
    return own if answers is PASSES else answers


def judge_input_requests(court: Court, result: Json) -> Verdict:
    """Judges the requests that a result carries; ``value``: the result to pass on instead."""
    return _judge_each(result, "inputRequests", lambda request: _judge_request(court, request))


def _judge_request(court: Court, request: Json) -> Verdict:
    method = request.get("method")
    if not isinstance(method, str):
        return PASSES
    refusal, value = judge_method(court, method, "arguments", request.get("params"))
    return Verdict(refusal, None if value is None else {**request, "params": value})


def _judge_answer(court: Court, response: Json) -> Verdict:
    passed = response
    for method in _answered_methods(response):
        # Whoever may not be asked may not answer, either: the request may have come before the rule.
        refusal = court.name(method)
        if refusal is not None:
            return Verdict(refusal)
        verdict = judge_method(court, method, "responses", passed)
        if verdict.refusal is not None:
            return verdict
        passed = passed if verdict.value is None else verdict.value
    return PASSES if passed is response else Verdict(None, passed)


def _judge_each(holder: Json, key: str, judge: "Callable[[Json], Verdict]") -> Verdict:
    entries = holder.get(key)
    if not isinstance(entries, dict):
        return PASSES
    passed = entries
    for name, entry in entries.items():
        verdict = judge(entry) if isinstance(entry, dict) else PASSES
        if verdict.refusal is not None:
            return verdict
        if verdict.value is not None:
            passed = {**passed, name: verdict.value}
    return PASSES if passed is entries else Verdict(None, {**holder, key: passed})


def _answered_methods(response: Json) -> "list[str]":
    """The requests that an answer inside a retry may answer, by its form: it doesn't say so, and servers keep no state."""
    methods = []
    if "action" in response:
        methods.append("elicitation/create")
    if "roots" in response:
        methods.append("roots/list")
    if "model" in response or "role" in response:
        methods.append("sampling/createMessage")
    return methods
