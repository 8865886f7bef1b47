"""The decisions that every sensor must make the same way: test/vectors, also run by src/policy and the other sensor."""

import json
from pathlib import Path
from typing import Any

import pytest

from ucp_sensor.mcp.court import MethodCourt
from ucp_sensor.mcp.denial import Refusal
from ucp_sensor.mcp.method_rules import judge_input_requests, judge_method, judge_parameters
from ucp_sensor.mcp.pins import ToolPins
from ucp_sensor.mcp.tasks import Tasks
from ucp_sensor.policy.cards import CardRules
from ucp_sensor.policy.decision import Decision
from ucp_sensor.policy.engine import Engine
from ucp_sensor.policy.file import PolicyFile, parse_policy_file
from ucp_sensor.policy.finding import Finding, Target
from ucp_sensor.policy.mcp import McpRules
from ucp_sensor.policy.names import canonical_name
from ucp_sensor.policy.uri import canonical_uri, canonical_url
from ucp_sensor.regex.matcher import Matcher

VECTORS = Path(__file__).resolve().parents[4] / "test" / "vectors"
NAMES = sorted(path.stem for path in VECTORS.glob("*.json"))


def verdict(decision: Decision) -> "dict[str, Any]":
    """What the vectors hold of a decision; messages may be worded per language."""
    rule = {} if decision.rule is None else {"rule": decision.rule}
    return {
        "allowed": decision.allowed,
        **rule,
        "mode": decision.mode,
        "action": decision.action,
        "violation": decision.violation,
    }


class Listener:
    """Stands in for a conversation: keeps which rules were broken."""

    def __init__(self, server: "str | None") -> None:
        self.server = server
        self.told: list[str] = []

    def found(self, _method: str, _target: Target, finding: Finding, _side: str) -> "Refusal | None":
        self.told.append(finding.rule)
        return Refusal(finding.advice, {}) if finding.blocks else None


class Answers:
    """Answers the questions of one file by its compiled policy."""

    def __init__(self, file: PolicyFile) -> None:
        self._file = file
        self._rules: dict[str, McpRules] = {}

    def ask(self, case: "dict[str, Any]") -> Any:
        sensor = case.get("sensor", "js_sensor")
        if sensor not in self._rules:
            self._rules[sensor] = McpRules(self._file, sensor)
        return getattr(self, case["op"])(self._rules[sensor], case["query"])

    def name(self, rules: McpRules, query: Any) -> Any:
        return verdict(rules.decide_name(query["side"], query["kind"], query.get("server"), query["name"]))

    def list(self, rules: McpRules, query: Any) -> Any:
        judged = [
            (name, rules.decide_name(query["side"], query["kind"], query.get("server"), name))
            for name in query["names"]
        ]
        return {
            "shown": [name for name, decision in judged if decision.allowed],
            "violations": [{"name": name, "rule": d.rule} for name, d in judged if d.violation],
        }

    def content(self, rules: McpRules, query: Any) -> Any:
        decision, value = rules.decide_content(
            query["side"], query["kind"], query.get("server"), query["name"], query["part"], query["value"]
        )
        return {**verdict(decision), "value": value}

    def change(self, rules: McpRules, query: Any) -> Any:
        pins = ToolPins()
        changes = [pins.check(query["name"], tool) for tool in query["listed"]]
        asked = query["side"], query.get("server"), query["name"]
        changed = pins.changed(query["name"])
        decision = rules.decide_change(*asked) if changed else rules.decide_name(asked[0], "tool", *asked[1:])
        return {**verdict(decision), "told": [None if change is None else change._asdict() for change in changes]}

    def request(self, rules: McpRules, query: Any) -> Any:
        listener = Listener(query["server"])
        court = MethodCourt(listener, rules, query["side"])  # type: ignore[arg-type]
        refusal, value = judge_parameters(court, query["method"], query["params"])
        passed = query["params"] if value is None else value
        return {"value": None if refusal else passed, "told": listener.told}

    def result(self, rules: McpRules, query: Any) -> Any:
        listener = Listener(query["server"])
        court = MethodCourt(listener, rules, query["side"])  # type: ignore[arg-type]
        refusal, value = judge_method(court, query["method"], "responses", query["result"])
        passed = query["result"] if value is None else value
        if refusal is None:
            refusal, value = judge_input_requests(court, passed)
            passed = passed if value is None else value
        return {"value": None if refusal else passed, "told": listener.told}

    def http(self, rules: McpRules, query: Any) -> Any:
        return verdict(rules.servers.decide_http(query["url"], query["transport"], query["authenticated"]))

    def stdio(self, rules: McpRules, query: Any) -> Any:
        return verdict(rules.servers.decide_stdio(query["command"], query["args"]))

    def a2a(self, _rules: McpRules, query: Any) -> Any:
        return verdict(CardRules(self._file).decide(query))

    def tasks(self, _rules: McpRules, query: Any) -> Any:
        tasks: Tasks[str] = Tasks()
        calls = []
        for step in query["steps"]:
            if "asks" in step:
                calls.append(tasks.call_of(step["asks"], step["params"]))
            else:
                tasks.learn(step["call"], step["result"])
        return calls

    def canonical_name(self, _rules: McpRules, query: Any) -> Any:
        return canonical_name(query["text"])

    def canonical_uri(self, _rules: McpRules, query: Any) -> Any:
        return canonical_uri(query["text"])

    def canonical_url(self, _rules: McpRules, query: Any) -> Any:
        return canonical_url(query["text"])

    def regex(self, _rules: McpRules, query: Any) -> Any:
        matcher = Matcher(Engine(self._file.programs).regex(query["regex"]))
        text = query["text"]
        return {"test": matcher.test(text), "matches": [text[start:end] for start, end in matcher.spans(text)]}


@pytest.mark.parametrize("name", NAMES)
def test_answers_as_the_vectors_say(name: str) -> None:
    cases = json.loads((VECTORS / f"{name}.json").read_text("utf-8"))["cases"]
    compiled = VECTORS / "compiled" / f"{name}.json"
    file = parse_policy_file(compiled.read_bytes()) if compiled.exists() else PolicyFile(1, "none", {}, {})
    assert isinstance(file, PolicyFile)
    answers = Answers(file)
    wrong = [
        (case["id"], case["query"], case["expect"], given)
        for case in cases
        if (given := answers.ask(case)) != case["expect"]
    ]
    assert wrong == []


def test_there_are_enough_vectors() -> None:
    assert sum(len(json.loads((VECTORS / f"{name}.json").read_text("utf-8"))["cases"]) for name in NAMES) >= 300
