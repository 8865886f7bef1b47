"""Tools whose definition changes after they were listed: told in any case, hidden and refused where they are pinned."""

import subprocess
from contextlib import contextmanager
from typing import Any

import pytest

from ..conftest import CACHE, PROGRAMS, Host

#: Venv and era, in one process.
MEMORY = [("mcp1", "only"), ("mcp2", "auto"), ("mcp2", "legacy")]
OPEN = [["echo", "describe"], "you said x"]
EVERYTHING = {"first": OPEN, "changed": OPEN, "still": OPEN, "back": OPEN}


def pins(remediate: bool, side: str, pin: bool = True) -> "dict[str, Any]":
    return {"remediate": remediate, "mcp": {side: {"pin_tools": pin}}}


def in_any_order(sessions: Any) -> Any:
    """A tool that was added again is listed last."""
    return [{step: [sorted(names, reverse=True), said] for step, (names, said) in one.items()} for one in sessions]


def assert_pinned(session: "dict[str, Any]", side: str) -> None:
    assert session["first"] == session["back"] == OPEN
    for step in ("changed", "still"):
        listed, refused = session[step]
        assert listed == ["describe"]
        assert refused["code"] == -32010
        assert refused["data"]["rule"] == f"/python_sensor/mcp/{side}/pin_tools"
        assert refused["data"]["policy"] == "test"
        assert "whose definition has changed" in refused["data"]["message"]


def changes(host: Host, side: str) -> "list[Any]":
    return [event for event in host.plane.events("tool_definition_changed") if event["body"]["side"] == side]


@pytest.mark.parametrize(("venv", "era"), MEMORY)
@pytest.mark.parametrize("side", ["server", "client"])
def test_a_changed_tool_is_hidden_and_refused(host: Host, venv: str, era: str, side: str) -> None:
    host.policy(python_sensor=pins(True, side))
    (session,) = in_any_order(host.report(venv, "mcp_pins.py", "memory", era))
    assert_pinned(session, side)
    (change,) = changes(host, side)
    assert change["violation"]["action"] == "blocked"
    assert change["violation"]["rule"] == f"/python_sensor/mcp/{side}/pin_tools"
    assert change["body"]["pinned"] != change["body"]["now"]
    assert change["attributes"]["gen_ai.tool.name"] == "echo"
    refused = [event["id"] for event in host.plane.events("mcp_violation")]
    assert refused == [session[step][1]["data"]["event_id"] for step in ("changed", "still")]
    assert host.plane.events("sensor_error") == []


@pytest.mark.parametrize(("venv", "era", "remediate"), [(*MEMORY[0], True), (*MEMORY[1], False)])
def test_a_changed_tool_that_may_change_is_told_only(host: Host, venv: str, era: str, remediate: bool) -> None:
    """Not pinned in enforce mode; pinned in observe mode: then it is a violation that passed."""
    host.policy(python_sensor=pins(remediate, "server", pin=not remediate))
    told = host.report(venv, "mcp_pins.py", "memory", era)
    assert in_any_order(told) == [EVERYTHING]
    assert host.report(venv, "mcp_pins.py", "memory", era, sensor=False) == told
    (change,) = changes(host, "server")
    assert change["severity"] == "WARN"
    assert (change.get("violation") or {}).get("action") == (None if remediate else "allowed")
    assert len(host.plane.events("mcp_violation")) == (0 if remediate else 2)


@contextmanager
def http_server(host: Host, venv: str, with_sensor: bool) -> Any:
    process = subprocess.Popen(
        [str(CACHE / venv / "bin" / "python"), str(PROGRAMS / "mcp_pins.py"), "serve"],
        env=host.env(with_sensor),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/mcp"
    finally:
        process.terminate()
        process.wait(10)


@pytest.mark.parametrize(("venv", "era"), [("mcp1", "only"), ("mcp2", "legacy")])
def test_a_server_pins_anew_for_each_session_over_http(host: Host, venv: str, era: str) -> None:
    host.policy(python_sensor=pins(True, "server"))
    with http_server(host, venv, True) as url:
        first, second = in_any_order(host.report(venv, "mcp_pins.py", "http", url, era, sensor=False))
    assert_pinned(first, "server")
    # The first session left the other definition behind: here that is what was listed first, until it goes back.
    assert second["first"] == second["changed"] == second["still"] == OPEN
    listed, refused = second["back"]
    assert listed == ["describe"]
    assert refused["code"] == -32010


def test_a_server_without_sessions_pins_for_as_long_as_it_lives(host: Host) -> None:
    host.policy(python_sensor=pins(True, "server"))
    with http_server(host, "mcp2", True) as url:
        first, second = in_any_order(host.report("mcp2", "mcp_pins.py", "http", url, "auto", sensor=False))
    assert_pinned(first, "server")
    assert second["first"][0] == ["describe"]
    assert second["back"] == OPEN


def test_a_client_pins_what_a_server_over_http_lists(host: Host) -> None:
    host.policy(python_sensor=pins(True, "client"))
    with http_server(host, "mcp2", False) as url:
        first, _second = in_any_order(host.report("mcp2", "mcp_pins.py", "http", url, "auto"))
    assert_pinned(first, "client")
