"""Rules on methods: what a server may ask of a client, and which notifications pass, decided on either side."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from ..conftest import CACHE, FULL, PROGRAMS, Host

#: Rules by the name of the server that they hold for.
RULES: "dict[str, dict[str, Any]]" = {
    "plain": {},
    "unsampled": {"deny_list": ["sampling/createMessage"]},
    "unasked": {"deny_list": ["elicitation/*"]},
    "listed": {"allow_list": ["tools/*", "elicitation/create", "logging/*"]},
    "answer": {"responses": {"deny": [{"name": "answer", "regex": "sampled"}]}},
    "question": {"arguments": {"deny": [{"name": "who", "regex": "who"}]}},
    "redacted": {"responses": {"deny": [{"name": "name", "regex": "^me$"}], "action": "redact"}},
    "silent": {"deny_list": ["notifications/*", "initialize", "ping"]},
    "censored": {"arguments": {"deny": [{"name": "word", "regex": "note|half"}], "action": "redact"}},
}
NOTICES = ["log a note", "progress 0.5 half way"]
#: What the program says and hears where a server asks in requests of its own; default: what it says without rules.
OPEN = ("sampled, accept me", NOTICES)
ASKED: "dict[str, tuple[str, list[str]]]" = {
    "unsampled": ("refused -32010, accept me", NOTICES),
    "unasked": ("sampled, refused -32010", NOTICES),
    "listed": ("refused -32010, accept me", []),
    "answer": ("refused -32010, accept me", NOTICES),
    "question": ("sampled, refused -32010", NOTICES),
    "redacted": ("sampled, accept [redacted:name]", NOTICES),
    "silent": ("sampled, accept me", []),
    "censored": ("sampled, accept me", ["log a [redacted:word]", "progress 0.5 [redacted:word] way"]),
}
#: The same where it asks inside its result: the whole call is refused, and the tool runs twice when it isn't.
OPEN_INSIDE = ("accept me", NOTICES * 2)
ASKED_INSIDE: "dict[str, tuple[str, list[str]]]" = {
    "unasked": ("refused -32010", NOTICES),
    "listed": ("accept me", []),
    "question": ("refused -32010", NOTICES),
    "redacted": ("accept [redacted:name]", NOTICES * 2),
    "silent": ("accept me", []),
    "censored": ("accept me", ["log a [redacted:word]", "progress 0.5 [redacted:word] way"] * 2),
}
#: Venv, era, and how client and server meet.
PAIRS = [
    ("mcp1", "only", "memory"),
    ("mcp2", "legacy", "memory"),
    ("mcp2", "auto", "memory"),
    ("mcp2", "auto", "http"),
    *([("mcp1", "only", "http"), ("mcp2", "legacy", "http"), ("full-mcp2-low", "legacy", "memory")] if FULL else []),
]


def policy(remediate: bool, side: str) -> "dict[str, Any]":
    off = {"enable": False}
    return {"remediate": remediate, "mcp": {"client": off, "server": off, side: {"methods": RULES}}}


def expected(era: str, where: str) -> "dict[str, Any]":
    inside = era == "auto"
    said = {name: (ASKED_INSIDE if inside else ASKED).get(name, OPEN_INSIDE if inside else OPEN) for name in RULES}
    # In one process 2.x tells of progress by a call of a function: there is no notification to judge.
    direct = inside and where == "memory"
    return {
        name: {"said": text, "notices": with_progress(text, notices) if direct else notices, "tools": "['ask']"}
        for name, (text, notices) in said.items()
    }


def with_progress(text: str, notices: "list[str]") -> "list[str]":
    logs = [notice for notice in notices if notice.startswith("log")]
    progress = "progress 0.5 half way"
    rounds = 1 if text.startswith("refused") else 2
    return [line for log in logs for line in (log, progress)] or [progress] * rounds


@contextmanager
def servers(host: Host, venv: str, era: str, with_sensor: bool) -> "Iterator[list[str]]":
    process = subprocess.Popen(
        [str(CACHE / venv / "bin" / "python"), str(PROGRAMS / "mcp_asks.py"), "serve", era, *RULES],
        env=host.env(with_sensor),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        ports = json.loads(process.stdout.readline())
        yield [f"{name}=http://127.0.0.1:{port}/mcp" for name, port in zip(RULES, ports, strict=True)]
    finally:
        process.terminate()
        process.wait(10)


@pytest.mark.parametrize(("venv", "era", "where"), PAIRS)
@pytest.mark.parametrize("side", ["client", "server"])
def test_rules_on_methods_hold_on_either_side(host: Host, venv: str, era: str, where: str, side: str) -> None:
    host.policy(python_sensor=policy(True, side))
    if where == "http":
        with servers(host, venv, era, side == "server") as urls:
            told = host.report(venv, "mcp_asks.py", where, era, *urls, sensor=side == "client")
    else:
        told = host.report(venv, "mcp_asks.py", where, era, *RULES)
    assert told == expected(era, where)
    violations = host.plane.events("mcp_violation")
    assert {event["body"]["side"] for event in violations} == {side}
    broken = {event["violation"]["rule"].split("/")[5] for event in violations}
    assert broken == {name for name in RULES if told[name] != told["plain"]}
    for event in violations:
        assert event["violation"]["rule"].startswith(f"/python_sensor/mcp/{side}/methods/{event['body']['server']}/")
    assert host.plane.events("sensor_error") == []


@pytest.mark.parametrize(("venv", "era"), [("mcp1", "only"), ("mcp2", "legacy")])
def test_what_a_server_asks_is_told_on_both_sides_and_passes_in_observe_mode(host: Host, venv: str, era: str) -> None:
    both = {side: {"methods": RULES} for side in ("client", "server")}
    host.policy(python_sensor={"mcp": both})
    told = host.report(venv, "mcp_asks.py", "memory", era, *RULES)
    assert {tuple(one.items()).__repr__() for one in told.values()} == {tuple(told["plain"].items()).__repr__()}
    assert told == host.report(venv, "mcp_asks.py", "memory", era, *RULES, sensor=False)
    for name in ("mcp_sampling", "mcp_elicitation"):
        sides = [event["body"]["side"] for event in host.plane.events(name)]
        assert sorted(sides) == ["client"] * len(RULES) + ["server"] * len(RULES)
    assert {event["violation"]["action"] for event in host.plane.events("mcp_violation")} == {"allowed"}
