"""What a request that names several resources is refused for."""

from pathlib import Path
from typing import Any

import pytest

from ucp_sensor.mcp.denial import Refusal
from ucp_sensor.mcp.exchange import Exchange
from ucp_sensor.mcp.pins import ToolPins
from ucp_sensor.mcp.tasks import Tasks
from ucp_sensor.policy.file import parse_policy_file
from ucp_sensor.policy.finding import Finding, Target
from ucp_sensor.policy.mcp import McpRules

COMPILED = Path(__file__).resolve().parents[4] / "test" / "vectors" / "compiled"
DENIED = "file:///etc/passwd"


def rules_of(vectors: str) -> McpRules:
    return McpRules(parse_policy_file((COMPILED / f"{vectors}.json").read_bytes()), "js_sensor")


class Listener:
    """Stands in for a conversation with the server ``files``: keeps what was told."""

    server = "files"
    pins = ToolPins()
    tasks: "Tasks[Target]" = Tasks()

    def __init__(self) -> None:
        self.told: list[Any] = []

    def found(self, method: str, target: Target, finding: Finding, _side: str) -> "Refusal | None":
        self.told.append((method, target.kind, target.name))
        return Refusal(finding.advice, {}) if finding.blocks else None

    def answered(self, *_args: Any) -> None:
        pass

    def failed(self, _rules: McpRules, _method: str, _side: str, error: BaseException) -> None:
        raise error


@pytest.mark.parametrize(
    ("uris", "refused"),
    [([DENIED], True), (["mem://x", DENIED, "db://users"], True), (["mem://x", "mem://y"], False), ([], False)],
)
def test_a_denied_resource_is_not_listened_to(uris: "list[str]", refused: bool) -> None:
    conversation = Listener()
    exchange = Exchange(conversation, rules_of("mcp-names"), "client", "subscriptions/listen")  # type: ignore[arg-type]
    params = {"notifications": {"resourceSubscriptions": uris}}
    assert (exchange.open(params, lambda: params) is not None) is refused
    assert conversation.told == ([("subscriptions/listen", "resource", DENIED)] if refused else [])


def test_what_completes_a_resource_is_under_its_response_patterns() -> None:
    conversation = Listener()
    exchange = Exchange(conversation, rules_of("mcp-content"), "client", "completion/complete")  # type: ignore[arg-type]
    params = {"ref": {"type": "ref/resource", "uri": "mem://{key}"}, "argument": {"name": "key", "value": "KEY=x"}}
    assert exchange.open(params, lambda: params) is None
    assert exchange.arguments is None
    passed = exchange.close({"completion": {"values": ["KEY=abc1", "plain"]}})
    assert passed == {"completion": {"values": ["[redacted:key]", "plain"]}}
    assert conversation.told == [("completion/complete", "resource", "mem://{key}")]
