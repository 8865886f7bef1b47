"""MCP on real SDKs: hide, refuse, redact; server side, client side, both; events."""

import json
import subprocess
import time
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

import pytest

from ..conftest import CACHE, FULL, PROGRAMS, SENSOR, Host

RULES = {
    "tools": {"shop": {"deny_list": ["drop_*"], "arguments": {"builtin": ["pii"], "action": "redact"}}},
    "resources": {"*": {"deny_list": ["shop://secret/**"]}},
    "prompts": {"*": {"deny_list": ["jailbreak"]}},
}
EVERYTHING = {
    "tools": ["add", "drop_table", "echo", "fail"],
    "resources": ["shop://open", "shop://secret/keys"],
    "templates": ["shop://items/{name}"],
    "prompts": ["greet", "jailbreak"],
    "add": "3",
    "drop_table": "dropped users",
    "echo": "you said card 4111111111111111 ok",
    "fail": True,
    "open": "open",
    "secret": "secret",
    "greet": "Greet the user.",
    "jailbreak": "Do anything.",
    "again": "4",
}
ALLOWED = ("templates", "add", "fail", "open", "greet", "again")
LINES = ["mcp1", "mcp2"] + (["full-mcp1-low", "full-mcp2-low"] if FULL else [])


def _eras(venv: str) -> "tuple[str, ...]":
    """Over stdio and ``http`` the older era is spoken anyway; in one process it is asked for in the full run only."""
    if "mcp2" not in venv:
        return ("only",)
    return ("auto", "legacy") if FULL else ("auto",)


#: Venv, and how client and server meet in one process.
MEMORY = [(venv, era) for venv in LINES for era in _eras(venv)]


def sensor(remediate: bool, *sides: str) -> "dict[str, Any]":
    return {"remediate": remediate, "mcp": {side: RULES for side in sides}}


def assert_enforced(answers: "dict[str, Any]", side: str) -> None:
    """What is denied is hidden and refused with the rule; everything else passes, before and after."""
    for name in ALLOWED:
        assert answers[name] == EVERYTHING[name]
    assert answers["tools"] == ["add", "echo", "fail"]
    assert answers["resources"] == ["shop://open"]
    assert answers["prompts"] == ["greet"]
    assert answers["echo"].startswith("you said card")
    assert "[redacted:pii/" in answers["echo"]
    assert "4111" not in answers["echo"]
    at = f"/python_sensor/mcp/{side}"
    for name, rule in (
        ("drop_table", f"{at}/tools/shop/deny_list/0"),
        ("secret", f"{at}/resources/*/deny_list/0"),
        ("jailbreak", f"{at}/prompts/*/deny_list/0"),
    ):
        refused = answers[name]
        assert refused["code"] == -32010
        assert refused["data"]["rule"] == rule
        assert refused["data"]["policy"] == "test"
        assert refused["data"]["event_id"]
        assert "Operator policy does not permit" in refused["data"]["message"]
    assert "drop_table" not in answers["calls"]
    assert "secret" not in answers["calls"]


def told(host: Host, side: str) -> "list[tuple[str, str, str]]":
    """Violations of calls: action, severity, method."""
    return [
        (event["violation"]["action"], event["severity"], event["attributes"]["mcp.method.name"])
        for event in host.plane.events("mcp_violation")
        if event["body"]["side"] == side and not event["attributes"]["mcp.method.name"].endswith("/list")
    ]


@pytest.mark.parametrize(("venv", "era"), MEMORY)
@pytest.mark.parametrize("side", ["server", "client"])
def test_enforces_in_one_process(host: Host, venv: str, era: str, side: str) -> None:
    host.policy(python_sensor=sensor(True, side))
    answers = host.report(venv, "mcp_memory.py", era)
    assert_enforced(answers, side)
    assert told(host, side) == [
        ("blocked", "ERROR", "tools/call"),
        ("redacted", "ERROR", "tools/call"),
        ("blocked", "ERROR", "resources/read"),
        ("blocked", "ERROR", "prompts/get"),
    ]
    refused = [event["id"] for event in host.plane.events("mcp_violation")]
    assert answers["drop_table"]["data"]["event_id"] in refused
    assert host.plane.events("sensor_error") == []


@pytest.mark.parametrize(("venv", "era"), MEMORY)
def test_observes_without_changing_anything(host: Host, venv: str, era: str) -> None:
    host.policy(python_sensor=sensor(False, "server", "client"))
    answers = host.report(venv, "mcp_memory.py", era)
    assert {name: answers[name] for name in EVERYTHING} == EVERYTHING
    assert host.report(venv, "mcp_memory.py", era, sensor=False) == answers
    for side in ("server", "client"):
        assert [action for action, _severity, _method in told(host, side)] == ["allowed"] * 4
    assert {event["severity"] for event in host.plane.events("mcp_violation")} == {"WARN"}
    calls = [
        (event["attributes"]["gen_ai.tool.name"], event["body"]["outcome"])
        for event in host.plane.events("mcp_tool_call")
        if event["body"]["side"] == "server"
    ]
    assert calls == [("add", "ok"), ("drop_table", "ok"), ("echo", "ok"), ("fail", "tool_error"), ("add", "ok")]


@pytest.mark.parametrize("venv", LINES)
def test_the_server_that_a_client_starts_has_the_sensor(host: Host, venv: str) -> None:
    host.policy(python_sensor=sensor(True, "server"))
    answers = host.report(venv, "mcp_stdio.py")
    assert_enforced(answers, "server")
    assert len(host.plane.events("sensor_started")) == 2
    transports = {event["body"]["transport"] for event in host.plane.events("mcp_tool_call")}
    assert transports == {"stdio"}


@pytest.mark.parametrize("venv", LINES)
def test_the_client_alone_enforces_over_stdio(host: Host, venv: str) -> None:
    host.policy(python_sensor=sensor(True, "client"))
    answers = host.report(venv, "mcp_stdio.py", "bare")
    assert_enforced(answers, "client")
    assert len(host.plane.events("sensor_started")) == 1
    assert {event["body"]["server"] for event in host.plane.events("mcp_tool_call")} == {"shop"}


@pytest.mark.parametrize("venv", ["mcp2", *(["full-fastmcp2", "full-fastmcp3"] if FULL else [])])
@pytest.mark.parametrize("side", ["server", "client"])
def test_enforces_on_a_server_of_fastmcp(host: Host, venv: str, side: str) -> None:
    host.policy(python_sensor=sensor(True, side))
    assert_enforced(host.report(venv, "mcp_stdio.py", "fastmcp", *(["bare"] if side == "client" else [])), side)


@contextmanager
def http_server(host: Host, venv: str, transport: str, with_sensor: bool) -> Any:
    python = str(CACHE / venv / "bin" / "python")
    process = subprocess.Popen(
        [python, str(PROGRAMS / "mcp_http_server.py"), transport],
        env=host.env(with_sensor),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        path = "sse" if transport == "sse" else "mcp"
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/{path}"
    finally:
        process.terminate()
        process.wait(10)


HTTP = [(venv, transport) for venv in LINES for transport in ("http", "sse", *(("auto",) if venv == "mcp2" else ()))]


@pytest.mark.parametrize(("venv", "transport"), HTTP)
@pytest.mark.parametrize("side", ["server", "client"])
def test_enforces_over_http(host: Host, venv: str, transport: str, side: str) -> None:
    host.policy(python_sensor=sensor(True, side))
    with http_server(host, venv, transport, side == "server") as url:
        answers = host.report(venv, "mcp_http.py", url, transport, sensor=side == "client")
    assert_enforced({**answers, "calls": []}, side)
    seen = {event["body"]["transport"] for event in host.plane.events("mcp_tool_call")}
    assert seen == {"http"} or (side, transport, seen) == ("client", "sse", {"sse"})
    lists = host.plane.events("mcp_list")
    assert len(lists) == 4
    assert [event["body"]["hidden"] for event in lists] == [1, 1, 0, 1]


@pytest.mark.parametrize(
    ("section", "refused"),
    [
        ({"http_servers": {"deny_http": True}}, "http_servers/deny_http"),
        ({"http_servers": {"deny_http": True, "exception_list": ["http://127.0.0.1:*/mcp"]}}, None),
        ({"http_servers": {"force_authentication": True}}, "http_servers/force_authentication"),
    ],
)
@pytest.mark.parametrize("venv", LINES[:2] if FULL else LINES[1:2])
def test_decides_on_connections_over_http(host: Host, venv: str, section: Any, refused: "str | None") -> None:
    host.policy(python_sensor={"remediate": True, "mcp": section})
    with http_server(host, venv, "http", False) as url:
        done = host.run(venv, str(PROGRAMS / "mcp_http.py"), url, "http")
    assert (done.returncode == 0) is (refused is None), done.stderr
    rules = [event["violation"]["rule"] for event in host.plane.events("mcp_violation")]
    assert rules == ([] if refused is None else [f"/python_sensor/mcp/{refused}"])


@pytest.mark.parametrize("venv", LINES[:2])
@pytest.mark.parametrize("listed", [True, False])
def test_decides_on_servers_that_are_started(host: Host, venv: str, listed: bool) -> None:
    exceptions = [{"command": "**/python", "args": ["*"]}] if listed else []
    host.policy(
        python_sensor={"remediate": True, "mcp": {"stdio_servers": {"deny_stdio": True, "exception_list": exceptions}}}
    )
    done = host.run(venv, str(PROGRAMS / "mcp_stdio.py"))
    assert (done.returncode == 0) is listed, done.stderr
    assert len(host.plane.events("mcp_violation")) == (0 if listed else 1)


@pytest.mark.parametrize("venv", LINES[:2])
def test_a_response_pattern_blocks_or_redacts(new_host: "Callable[[], Host]", venv: str) -> None:
    era = "auto"
    pattern = {"deny": [{"name": "card", "regex": "4[0-9]{15}"}]}
    answers = []
    for action in ("block", "redact"):
        host = new_host()
        rules = {"tools": {"*": {"responses": {**pattern, "action": action}}}}
        host.policy(python_sensor={"remediate": True, "mcp": {"server": rules}})
        answers.append(host.report(venv, "mcp_memory.py", era))
        assert {event["violation"]["action"] for event in host.plane.events("mcp_violation")} == {
            "blocked" if action == "block" else "redacted"
        }
    blocked, redacted = answers
    assert blocked["echo"]["code"] == -32010
    assert blocked["echo"]["data"]["rule"] == "/python_sensor/mcp/server/tools/*/responses/deny/0"
    assert redacted["echo"] == "you said card [redacted:card] ok"
    assert blocked["again"] == redacted["again"] == "4"


#: Calls a tool with an output schema, and says what became of it.
NUMBER = """
import asyncio
from mcp_parts import MODERN, make_server
if MODERN:
    from mcp import Client
    client = Client(make_server(), mode="auto")
else:
    from mcp.shared.memory import create_connected_server_and_client_session
    client = create_connected_server_and_client_session(make_server()._mcp_server)
async def main():
    async with client as session:
        await session.list_tools()
        try: print((await session.call_tool("add", {"a": 1, "b": 2})).content[0].text)
        except RuntimeError as error: print(str(error).splitlines()[0])
asyncio.run(main())
"""

if FULL:

    @pytest.mark.parametrize("venv", LINES[:2])
    def test_a_number_that_is_redacted_is_rejected_by_the_sdk(host: Host, venv: str) -> None:
        rules = {"responses": {"deny": [{"name": "three", "regex": "^3$"}], "action": "redact"}}
        host.policy(python_sensor={"remediate": True, "mcp": {"server": {"tools": {"*": rules}}}})
        path = f"{SENSOR / 'site'}:{PROGRAMS}"
        assert host.run(venv, "-c", NUMBER, PYTHONPATH=str(PROGRAMS), sensor=False).stdout == "3\n"
        said = host.run(venv, "-c", NUMBER, PYTHONPATH=path).stdout
        assert said.startswith("Invalid structured content returned by tool add: '[redacted:three]' is not")


def test_a_cached_list_is_filtered_by_a_newer_policy(host: Host) -> None:
    host.policy(python_sensor={"remediate": True, "mcp": {}})
    with http_server(host, "mcp2", "http", False) as url:
        process = subprocess.Popen(
            [str(CACHE / "mcp2" / "bin" / "python"), str(PROGRAMS / "cached.py"), url],
            env=host.env(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        assert json.loads(process.stdout.readline()) == EVERYTHING["tools"]
        host.policy(2, python_sensor=sensor(True, "client"))
        time.sleep(0.4)  # The sensor looks at its policy every 0.3 s at most; nothing tells when it has.
        process.stdin.write("\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline()) == ["add", "echo", "fail"]
        process.stdin.close()
        process.wait(10)
