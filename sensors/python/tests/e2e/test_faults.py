"""What the sensor must survive, and what the program must not notice."""

import json
import shutil
import socket
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from ..conftest import CACHE, FULL, PROGRAMS, SENSOR, Host
from ..control_plane import ControlPlane
from ..model_vendor import ModelVendor
from .test_a2a import BAD, GOOD, RULES, agent
from .test_mcp import EVERYTHING, LINES, assert_enforced, sensor
from .test_mcp import RULES as MCP_RULES

#: Breaks a place in the sensor, then runs the program that it stands before.
BREAK = """
import sys
from importlib import import_module
def fail(*args, **kwargs): raise RuntimeError("injected")
for module, target in {places!r}:
    owner = import_module("ucp_sensor." + module)
    *path, name = target.split(".")
    for part in path: owner = getattr(owner, part)
    setattr(owner, name, fail)
sys.argv = sys.argv[1:]
import runpy
runpy.run_path(sys.argv[0], run_name="__main__")
"""
PLACES = [
    ("policy.mcp", "McpRules.decide_name"),
    ("mcp.conversation", "Conversation.answered"),
    ("mcp.listing", "_stays"),
    ("events.queue", "EventQueue.encode"),
]


def broken(
    host: Host, venv: str, places: "list[tuple[str, str]]", program: str, *args: str
) -> "subprocess.CompletedProcess[str]":
    programs = SENSOR / "tests" / "programs"
    path = f"{SENSOR / 'site'}:{programs}"
    return host.run(venv, "-c", BREAK.format(places=places), str(programs / program), *args, PYTHONPATH=path)


def answers_of(done: "subprocess.CompletedProcess[str]") -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place[1])
def test_a_bug_in_the_sensor_changes_nothing_when_policy_observes(host: Host, place: "tuple[str, str]") -> None:
    host.policy(python_sensor=sensor(False, "server", "client"))
    answers = answers_of(broken(host, "mcp1", [place], "mcp_memory.py", "auto"))
    assert {name: answers[name] for name in EVERYTHING} == EVERYTHING
    if place[0] != "events.queue":
        assert "injected" in json.dumps(host.plane.events("sensor_error"))


def test_a_bug_in_the_sensor_refuses_when_policy_enforces(host: Host) -> None:
    host.policy(python_sensor=sensor(True, "server"))
    done = broken(host, "mcp1", [("policy.mcp", "McpRules.decide_name")], "mcp_memory.py", "auto")
    assert "Do not retry; the policy sensor reported an internal error." in done.stderr
    assert host.plane.events("mcp_violation")[0]["violation"]["action"] == "blocked"


def test_a_card_that_can_not_be_judged_is_refused_when_policy_enforces(host: Host) -> None:
    host.policy(a2a={"remediate": True, **RULES})
    with agent(host, "a2a1", GOOD, GOOD, "jsonrpc") as url:
        refused = answers_of(broken(host, "a2a1", [("a2a.desk", "_desk_of")], "a2a_asker.py", url))["connect"]
    assert "A2AClientError" in refused["kinds"]
    assert refused["text"] == "The agent card could not be judged and was refused."
    assert "injected" in json.dumps(host.plane.events("sensor_error"))


def test_a_bug_in_the_sensor_lets_pass_what_on_error_says(host: Host) -> None:
    host.policy(python_sensor={"remediate": True, "mcp": {"on_error": "allow", "server": MCP_RULES}})
    answers = answers_of(broken(host, "mcp1", [("policy.mcp", "McpRules.decide_name")], "mcp_memory.py", "auto"))
    assert {name: answers[name] for name in EVERYTHING} == EVERYTHING
    assert "injected" in json.dumps(host.plane.events("sensor_error"))


@pytest.mark.parametrize("venv", LINES[:2])
def test_a_library_that_was_imported_before_the_sensor_is_covered(host: Host, venv: str) -> None:
    host.policy(python_sensor=sensor(True, "client", "server"))
    answers = host.report(venv, "late.py", SENSOR=str(SENSOR), PYTHONPATH="")
    assert_enforced(answers, "client")


#: Places of the observing hooks; in the full run each breaks alone, too.
OBSERVING = {
    "llm": [("llm.answer", "Answer.add"), ("llm.reader", "BodyReader.feed"), ("llm.call", "ModelCall._captured")],
    "langgraph": [("frameworks.runs", "Runs.start"), ("frameworks.runs", "Runs._end")],
    "a2a1": [("a2a.calls", "_error_in"), ("a2a.cards", "plain_card"), ("a2a.calls", "_Told.__init__")],
}
CASES = [(venv, places[:2]) for venv, places in OBSERVING.items()]
CASES += [(venv, [place]) for venv, places in OBSERVING.items() for place in places] if FULL else []


@pytest.mark.parametrize(("venv", "places"), CASES, ids=lambda value: value if isinstance(value, str) else value[0][1])
def test_a_bug_in_an_observing_hook_changes_nothing(host: Host, venv: str, places: "list[tuple[str, str]]") -> None:
    host.policy(llm={}, langchain={"capture_content": True}, a2a=RULES)
    if venv == "llm":
        vendor = ModelVendor()
        try:
            answers = answers_of(broken(host, venv, places, "llm_calls.py", "openai", vendor.address))
            assert answers == host.report(venv, "llm_calls.py", "openai", vendor.address, sensor=False)
        finally:
            vendor.stop()
    elif venv == "a2a1":
        with agent(host, venv, BAD, BAD, "jsonrpc") as url:
            answers = answers_of(broken(host, venv, places, "a2a_asker.py", url))
        assert answers == {"connect": "ok", "send": "sunny", "extended": BAD, "again": "sunny"}
    else:
        answers = answers_of(broken(host, venv, places, "graph.py"))
        assert answers == host.report(venv, "graph.py", sensor=False)
    assert "injected" in json.dumps(host.plane.events("sensor_error"))


#: What the sensor does with a conversation of every kind: lists, calls, patterns, methods, pins.
EVERYTHING_JUDGED = {
    **MCP_RULES,
    "methods": {
        "*": {
            "deny_list": ["sampling/*", "notifications/*"],
            "arguments": {"deny": [{"name": "who", "regex": "who"}]},
            "responses": {"deny": [{"name": "me", "regex": "me"}], "action": "redact"},
        }
    },
    "pin_tools": True,
}


if FULL:  # Hundreds of conversations.

    @pytest.mark.parametrize(
        ("venv", "args"), [("mcp1", ["mcp", "only"]), ("mcp2", ["mcp", "auto"]), ("mcp2", ["mcp", "legacy"])]
    )
    def test_a_bug_in_any_function_changes_nothing_when_policy_observes(
        host: Host, venv: str, args: "list[str]"
    ) -> None:
        host.policy(python_sensor={"mcp": {"client": EVERYTHING_JUDGED, "server": EVERYTHING_JUDGED}})
        told = host.report(venv, "every_bug.py", *args, timeout=1800)
        assert told["noticed"] == {}
        assert told["before"] == told["after"]
        assert isinstance(told["before"], dict)
        assert len(told["tried"]) >= 80

    @pytest.mark.parametrize(
        ("venv", "scenario"),
        [("llm", "llm openai"), ("llm", "llm anthropic"), ("langgraph", "langgraph"), ("a2a1", "a2a")],
    )
    def test_a_bug_in_any_observing_function_changes_nothing(host: Host, venv: str, scenario: str) -> None:
        host.policy(llm={"redact": {"builtin": ["secrets"]}}, langchain={"capture_content": True}, a2a=RULES)
        vendor = ModelVendor()
        try:
            with agent(host, "a2a1", BAD, BAD, "jsonrpc") as url:
                where = {"llm": [vendor.address], "a2a1": [url]}.get(venv, [])
                told = host.report(venv, "every_bug.py", *scenario.split(), *where, timeout=1800)
        finally:
            vendor.stop()
        assert told["noticed"] == {}
        assert isinstance(told["before"], dict)
        assert len(told["tried"]) >= 25


def closing(path: str) -> socket.socket:
    """A control plane that closes every connection as soon as something has come."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen(16)

    def serve() -> None:
        while True:
            try:
                connection, _address = server.accept()
            except OSError:
                return
            with connection:
                connection.recv(10)

    threading.Thread(target=serve, daemon=True).start()
    return server


@pytest.mark.parametrize("plane", ["absent", "full", "closing"])
def test_decisions_need_no_control_plane(host: Host, plane: str) -> None:
    host.policy(python_sensor=sensor(True, "client"))
    host.plane.stop()
    other = str(host.directory / "other.sock")
    server = None
    if plane == "full":
        host.plane = ControlPlane(other, accepting=False)
    elif plane == "closing":
        server = closing(other)
    answers = host.report("mcp1", "mcp_memory.py", "auto", UCP_SENSOR_SOCKET=other)
    assert_enforced(answers, "client")
    if server is not None:
        server.close()


def test_policy_changes_and_the_control_plane_dies_in_the_middle_of_calls(host: Host, tmp_path: Path) -> None:
    rule = "/python_sensor/mcp/server/tools/shop/deny_list/0"
    for generation, (name, denied) in enumerate([("allows", []), ("denies", ["add"])], 1):
        rules = {"tools": {"shop": {"deny_list": denied}}}
        host.policy(generation, python_sensor={"remediate": True, "mcp": {"server": rules}})
        shutil.copy(host.policy_file, tmp_path / name)
    files = [str(host.policy_file), str(tmp_path / "allows"), str(tmp_path / "denies")]
    process = subprocess.Popen(
        [str(CACHE / "mcp1" / "bin" / "python"), str(PROGRAMS / "under_change.py"), *files],
        env=host.env(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "half\n"
    host.plane.kill()
    said, _ = process.communicate("\n", 300)
    assert process.returncode == 0
    told = json.loads(said)
    assert set(told["told"]) <= {"3", f"-32010 {rule}"}
    assert sum(told["told"].values()) == 300
    assert told["last"]["data"]["rule"] == rule
    assert {event["body"]["where"] for event in host.plane.events("sensor_error")} <= {"policy"}
