"""LangChain, LangGraph and CrewAI: what they do is told, and nothing changes for the program."""

from collections.abc import Iterator

import pytest

from ..conftest import FULL, Host
from ..model_vendor import ModelVendor


@pytest.mark.parametrize("venv", ["langgraph", "full-langgraph0"] if FULL else ["langgraph"])
def test_a_graph_is_told_run_by_run(host: Host, venv: str) -> None:
    host.policy(langchain={})
    answers = host.report(venv, "graph.py")
    assert answers == {"agent": "three", "stream": "a b c", "error": "no", "batch": [2, 3, 4]}
    assert answers == host.report(venv, "graph.py", sensor=False)
    events = [event for event in host.plane.events() if event["domain"] == "langchain"]
    assert {event["scope"] for event in events} == {"langchain"}
    ids = {event["body"]["run_id"] for event in events}
    parents = {event["body"]["parent_run_id"] for event in events} - {None}
    assert parents <= ids
    starts = [event for event in events if event["name"].endswith("_start")]
    ends = [event for event in events if event["name"].endswith("_end")]
    assert sorted(event["body"]["run_id"] for event in starts) == sorted(event["body"]["run_id"] for event in ends)
    tools = [event for event in events if event["name"] == "langchain_tool_start"]
    assert [event["attributes"]["gen_ai.tool.name"] for event in tools] == ["add"]
    assert len([event for event in events if event["name"] == "langchain_llm_end"]) == 3
    streamed = [event["body"].get("streamed_tokens", 0) for event in ends if event["name"] == "langchain_llm_end"]
    assert max(streamed) >= 3
    failed = [event for event in ends if event["body"]["outcome"] == "error"]
    assert [event["body"]["error"] for event in failed] == ["ValueError"]
    assert host.plane.events("sensor_error") == []


def test_a_framework_that_policy_leaves_out_is_not_told_of(host: Host) -> None:
    host.policy(python_sensor={})
    host.report("langgraph", "graph.py")
    assert [event for event in host.plane.events() if event["domain"] == "langchain"] == []


@pytest.fixture
def vendor() -> "Iterator[ModelVendor]":
    made = ModelVendor()
    yield made
    made.stop()


if FULL:

    def test_a_crew_is_told_event_by_event(host: Host, vendor: ModelVendor) -> None:
        host.policy(crewai={}, llm={})
        done = host.report("full-crewai", "crew.py", vendor.address, timeout=300)
        assert done["answer"] != ""
        names = [event["name"] for event in host.plane.events() if event["domain"] == "crewai"]
        for name in ("crew_kickoff_started", "task_started", "agent_execution_started", "llm_call_started"):
            assert f"crewai_{name}" in names
        assert names.index("crewai_crew_kickoff_started") < names.index("crewai_crew_kickoff_completed")
        calls = names.count("crewai_llm_call_started")
        assert len(host.plane.events("llm_request")) == calls
        assert host.plane.events("sensor_error") == []
