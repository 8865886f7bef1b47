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

POLICY = Path(__file__).resolve().parents[4] / "test" / "vectors" / "compiled" / "mcp-names.json"
DENIED = "file:///etc/passwd"


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

    def failed(self, _rules: McpRules, _method: str, _side: str, error: BaseException) -> None:
        raise error


@pytest.mark.parametrize(
    ("uris", "refused"),
    [([DENIED], True), (["mem://x", DENIED, "db://users"], True), (["mem://x", "mem://y"], False), ([], False)],
)
def test_a_denied_resource_is_not_listened_to(uris: "list[str]", refused: bool) -> None:
    conversation = Listener()
    rules = McpRules(parse_policy_file(POLICY.read_bytes()), "js_sensor")
    exchange = Exchange(conversation, rules, "client", "subscriptions/listen")  # type: ignore[arg-type]
    params = {"notifications": {"resourceSubscriptions": uris}}
    assert (exchange.open(params, lambda: params) is not None) is refused
    assert conversation.told == ([("subscriptions/listen", "resource", DENIED)] if refused else [])
