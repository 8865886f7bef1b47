"""Calls whose results are fetched later, as tasks: their rules hold for what is fetched, on either side."""

from typing import Any

import pytest

from ..conftest import FULL, Host

OPEN = {"leak": "card 4111111111111111", "plain": "no card"}
#: Venv, and the request that fetches a result.
LINES = [("mcp1", "tasks/result"), ("mcp2", "tasks/get")]
LINES += [("full-mcp2-low", "tasks/get")] if FULL else []


def policy(remediate: bool, side: str, action: str) -> "dict[str, Any]":
    deny = [{"name": "card", "regex": "4[0-9]{15}"}]
    rules = {"tools": {"shop": {"responses": {"deny": deny, "action": action}}}}
    off = {"enable": False}
    return {"remediate": remediate, "mcp": {"client": off, "server": off, side: rules}}


def told(host: Host) -> "list[tuple[str, str, str, str]]":
    """Of each violation the request, the tool, the side, and what came of it."""
    return [
        (at["mcp.method.name"], at["gen_ai.tool.name"], event["body"]["side"], event["violation"]["action"])
        for event in host.plane.events("mcp_violation")
        for at in (event["attributes"],)
    ]


@pytest.mark.parametrize(("venv", "method"), LINES)
@pytest.mark.parametrize("side", ["client", "server"])
def test_a_result_that_is_fetched_later_is_under_the_rules_of_its_call(
    host: Host, venv: str, method: str, side: str
) -> None:
    host.policy(python_sensor=policy(True, side, "block"))
    answers = host.report(venv, "mcp_tasks.py")
    assert answers["plain"] == OPEN["plain"]
    assert answers["leak"]["code"] == -32010
    assert answers["leak"]["data"]["rule"] == f"/python_sensor/mcp/{side}/tools/shop/responses/deny/0"
    assert told(host) == [(method, "leak", side, "blocked")]
    calls = [event["attributes"]["gen_ai.tool.name"] for event in host.plane.events("mcp_tool_call")]
    assert calls == list(OPEN)
    assert host.plane.events("sensor_error") == []


if FULL:

    @pytest.mark.parametrize(("venv", "method"), LINES)
    def test_it_is_redacted_or_only_told_of_as_policy_says(host: Host, venv: str, method: str) -> None:
        host.policy(python_sensor=policy(True, "client", "redact"))
        assert host.report(venv, "mcp_tasks.py") == {**OPEN, "leak": "card [redacted:card]"}
        host.policy(2, python_sensor=policy(False, "server", "redact"))
        assert host.report(venv, "mcp_tasks.py") == OPEN == host.report(venv, "mcp_tasks.py", sensor=False)
        assert told(host) == [(method, "leak", "client", "redacted"), (method, "leak", "server", "allowed")]
        assert host.plane.events("sensor_error") == []
