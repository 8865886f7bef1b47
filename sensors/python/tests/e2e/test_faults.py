"""What the sensor must survive, and what the program must not notice."""

import json
import subprocess

import pytest

from ..conftest import SENSOR, Host
from .test_mcp import EVERYTHING, LINES, assert_enforced, sensor

#: Breaks a place in the sensor, then runs the program that it stands before.
BREAK = """
import sys
import ucp_sensor.{module} as broken
def fail(*args, **kwargs): raise RuntimeError("injected")
broken.{target} = fail
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


def broken(host: Host, place: "tuple[str, str]") -> "subprocess.CompletedProcess[str]":
    code = BREAK.format(module=place[0], target=place[1])
    programs = SENSOR / "tests" / "programs"
    path = f"{SENSOR / 'site'}:{programs}"
    return host.run("mcp1", "-c", code, str(programs / "mcp_memory.py"), "auto", PYTHONPATH=path)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place[1])
def test_a_bug_in_the_sensor_changes_nothing_when_policy_observes(host: Host, place: "tuple[str, str]") -> None:
    host.policy(python_sensor=sensor(False, "server", "client"))
    done = broken(host, place)
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout.splitlines()[-1])
    assert {name: answers[name] for name in EVERYTHING} == EVERYTHING
    if place[0] != "events.queue":
        assert "injected" in json.dumps(host.plane.events("sensor_error"))


def test_a_bug_in_the_sensor_refuses_when_policy_enforces(host: Host) -> None:
    host.policy(python_sensor=sensor(True, "server"))
    done = broken(host, ("policy.mcp", "McpRules.decide_name"))
    assert "Do not retry; the policy sensor reported an internal error." in done.stderr
    assert host.plane.events("mcp_violation")[0]["violation"]["action"] == "blocked"


@pytest.mark.parametrize("venv", LINES[:2])
def test_a_library_that_was_imported_before_the_sensor_is_covered(host: Host, venv: str) -> None:
    host.policy(python_sensor=sensor(True, "client", "server"))
    answers = host.report(venv, "late.py", SENSOR=str(SENSOR), PYTHONPATH="")
    assert_enforced(answers, "client")
