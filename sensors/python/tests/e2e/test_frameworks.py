"""LangChain, LangGraph and CrewAI: what they do is told, and nothing changes for the program."""

import json
from collections.abc import Iterator

import pytest

from ..conftest import FULL, Host
from ..model_vendor import ModelVendor

KEY = "sk-abcdefghijklmnop"
ANSWERS = {
    "agent": "three",
    "stream": "a b c",
    "documents": ["about weather", "more"],
    "error": "no",
    "tool_error": "no way",
    "batch": [2, 3, 4],
}


@pytest.mark.parametrize("venv", ["langgraph", "full-langgraph0"] if FULL else ["langgraph"])
def test_a_graph_is_told_run_by_run(host: Host, venv: str) -> None:
    host.policy(langchain={"capture_content": True})
    answers = host.report(venv, "graph.py")
    assert answers == ANSWERS
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
    assert [event["attributes"]["gen_ai.tool.name"] for event in tools] == ["add", "fail_tool"]
    assert tools[0]["body"]["arguments"] == {"a": 1, "b": 2}
    models = [event for event in ends if event["name"] == "langchain_llm_end"]
    assert len(models) == 3
    assert [event["attributes"].get("gen_ai.usage.output_tokens") for event in models] == [None, 2, None]
    assert max(event["body"].get("streamed_tokens", 0) for event in models) >= 3
    assert "three" in json.dumps(models[1]["body"]["answers"])
    (found,) = [event for event in ends if event["name"] == "langchain_retriever_end"]
    assert found["body"]["documents"] == 2
    assert "about weather" in json.dumps(found["body"]["found"])
    failed = [event for event in ends if event["body"]["outcome"] == "error"]
    assert [event["body"]["error"] for event in failed] == ["ValueError"] * 2
    assert [event["body"]["message"] for event in failed] == ["no", "no way"]
    everything = json.dumps(events)
    assert "1+2? my key is [redacted]" in everything
    assert KEY not in everything
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

    @pytest.mark.parametrize("content", [False, True])
    @pytest.mark.parametrize("venv", ["full-crewai", "full-crewai1"])
    def test_a_crew_is_told_event_by_event(host: Host, vendor: ModelVendor, venv: str, content: bool) -> None:
        host.policy(crewai={"capture_content": content}, llm={"capture_content": False})
        done = host.report(venv, "crew.py", vendor.address, timeout=300)
        assert done["answer"] != ""
        assert done["flow"] == "one two"
        events = [event for event in host.plane.events() if event["domain"] == "crewai"]
        names = [event["name"] for event in events]
        for name in ("crew_kickoff_started", "task_started", "agent_execution_started", "llm_call_started"):
            assert f"crewai_{name}" in names
            done_name = name.replace("_started", "_completed")
            assert names.index(f"crewai_{name}") < names.index(f"crewai_{done_name}")
        methods = [e["body"]["method_name"] for e in events if e["name"] == "crewai_method_execution_finished"]
        assert methods == ["first", "second"]
        assert "crewai_memory_query_started" in names
        if venv == "full-crewai":
            assert names[-2:] == ["crewai_mcp_tool_execution_started", "crewai_a2a_message_sent"]
            assert events[-2]["attributes"]["mcp.server.name"] == "shop"
            assert events[-1]["body"]["a2a_agent_name"] == "Weather"
        (failed,) = [event for event in events if event["name"] == "crewai_tool_usage_error"]
        assert failed["body"]["outcome"] == "error"
        everything = json.dumps(events)
        assert KEY not in everything
        assert "secretsecret" not in everything
        assert ("say something" in everything) is content
        assert ("bad key [redacted]" in everything) is content
        calls = names.count("crewai_llm_call_started")
        assert len(host.plane.events("llm_request")) == calls
        assert host.plane.events("sensor_error") == []
