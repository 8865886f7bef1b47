"""The exact events of a conversation, in their order, against files of ``tests/golden`` (``UCP_GOLDEN=write`` makes them)."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from ..conftest import CACHE, FULL, PROGRAMS, SENSOR, Host
from ..model_vendor import ModelVendor
from .test_a2a import BAD, GOOD, agent
from .test_a2a import RULES as RULES_OF_CARDS

GOLDEN = Path(__file__).parents[1] / "golden"
#: What no two runs have in common.
OF_THE_RUN = {"id", "time", "pid", "duration_ms", "event_id", "mcp.session.id", "request"}
UUID = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
RULES = {"tools": {"*": {"deny_list": ["drop_table"]}}, "resources": {"*": {"deny_list": ["shop://secret/**"]}}}


def settled(value: Any) -> Any:
    """Without what differs from run to run."""
    if isinstance(value, dict):
        return {name: settled(item) for name, item in value.items() if name not in OF_THE_RUN}
    return [settled(item) for item in value] if isinstance(value, list) else value


def numbered(events: "list[dict[str, Any]]") -> "list[dict[str, Any]]":
    """With the libraries' ids numbered in the order in which they appear."""
    text = json.dumps([settled(event) for event in events])
    numbers = {identity: f"id {number}" for number, identity in enumerate(dict.fromkeys(UUID.findall(text)))}
    renamed: list[dict[str, Any]] = json.loads(UUID.sub(lambda found: numbers[found[0]], text))
    return renamed


def check(name: str, events: "list[dict[str, Any]]") -> None:
    seen = [settled(event) for event in events if event["name"] != "sensor_started"]
    path = GOLDEN / f"{name}.json"
    if os.environ.get("UCP_GOLDEN") == "write":
        path.write_text("[\n" + ",\n".join(json.dumps(event, sort_keys=True) for event in seen) + "\n]\n")
    assert seen == json.loads(path.read_text())


@pytest.mark.parametrize("mode", ["observe", "enforce"])
@pytest.mark.parametrize(("venv", "args"), [("mcp1", []), ("mcp2", ["auto"])])
def test_mcp(host: Host, venv: str, args: "list[str]", mode: str) -> None:
    sides = {"client": RULES, "server": {"enable": False}}
    host.policy(python_sensor={"remediate": mode == "enforce", "mcp": sides, "runtime": {"enable": False}})
    host.report(venv, "mcp_memory.py", *args)
    check(f"{venv}-{mode}", host.plane.events())


LATELY = [False, True] if FULL else [False]
#: Imports libraries, and only then starts the sensor and runs a program.
LATE = """
import os, runpy, sys
from importlib import import_module
for name in sys.argv[1].split(): import_module(name)
sys.path.insert(0, os.environ["SENSOR"])
import ucp_sensor.boot
ucp_sensor.boot.start()
sys.argv = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def report(host: Host, venv: str, program: str, *args: str, before: str) -> None:
    """Runs a program, with the libraries ``before`` imported before the sensor starts; none: the sensor comes first."""
    if not before:
        host.report(venv, program, *args)
        return
    done = host.run(venv, "-c", LATE, before, str(PROGRAMS / program), *args, SENSOR=str(SENSOR), PYTHONPATH="")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize("late", LATELY)
def test_llm(host: Host, provider: str, late: bool) -> None:
    vendor = ModelVendor()
    try:
        host.policy(llm={}, python_sensor={"runtime": {"enable": False}})
        report(host, "llm", "llm_calls.py", provider, vendor.address, before=provider if late else "")
    finally:
        vendor.stop()
    events = json.loads(json.dumps(host.plane.events()).replace(vendor.address, "VENDOR"))
    # How much of the stream that the program leaves early has come by then is chance.
    early = [event for event in events if event["name"] == "llm_response"][2]
    events.remove(early)
    check(f"llm-{provider}", events)


@pytest.mark.parametrize("late", LATELY)
def test_langgraph(host: Host, late: bool) -> None:
    host.policy(langchain={})
    before = "langchain.agents langgraph.prebuilt langchain_core.retrievers"
    report(host, "langgraph", "graph.py", before=before if late else "")
    check("langgraph", numbered([event for event in host.plane.events() if event["domain"] == "langchain"]))


if FULL:

    @pytest.mark.parametrize("late", LATELY)
    def test_crewai(host: Host, late: bool) -> None:
        vendor = ModelVendor()
        try:
            host.policy(crewai={})
            report(host, "full-crewai", "crew.py", vendor.address, before="crewai" if late else "")
        finally:
            vendor.stop()
        # Where CrewAI believes to be is a matter of the host's environment.
        events = [event for event in host.plane.events() if event["domain"] == "crewai"]
        check("crewai", numbered([event for event in events if not event["name"].endswith("_env")]))


@pytest.mark.parametrize("late", LATELY)
@pytest.mark.parametrize("mode", ["observe", "enforce"])
def test_a2a(host: Host, mode: str, late: bool) -> None:
    host.policy(a2a={"remediate": mode == "enforce", **RULES_OF_CARDS})
    with agent(host, "a2a1", GOOD, BAD, "jsonrpc") as url:
        report(host, "a2a1", "a2a_asker.py", url, before="a2a.client.client_factory" if late else "")
    check(f"a2a-{mode}", [event for event in host.plane.events() if event["domain"] == "a2a"])


def test_a_tool_call_names_the_model_call_that_asked_for_it(host: Host) -> None:
    vendor = ModelVendor()
    packages = next((CACHE / "llm" / "lib").glob("python3*/site-packages"))
    try:
        host.policy(llm={}, python_sensor={"mcp": {"server": {"enable": False}}, "runtime": {"enable": False}})
        assert host.report("mcp2", "agent.py", vendor.address, str(packages)) == ["3", "you said unasked"]
    finally:
        vendor.stop()
    (response,) = host.plane.events("llm_response")
    asked, unasked = host.plane.events("mcp_tool_call")
    assert asked["attributes"]["gen_ai.tool.name"] == "add"
    assert asked["attributes"]["ucp.llm.event.id"] == response["id"]
    assert asked["attributes"]["gen_ai.tool.call.id"] == "call_1"
    assert "ucp.llm.event.id" not in unasked["attributes"]
    assert host.plane.events("sensor_error") == []
