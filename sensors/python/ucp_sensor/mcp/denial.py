"""How a refused request is answered (DESIGN 11)."""

from typing import Any, NamedTuple

from ..policy.finding import Finding

#: JSON-RPC code of a refusal: free in MCP and A2A. Recognise a refusal by ``data``, not by the code alone.
DENIED = -32010


class Refusal(NamedTuple):
    message: str
    data: "dict[str, Any]"


def refusal_of(finding: Finding, policy: str, event_id: str) -> Refusal:
    """Clients show the message to the model, so it is the advice, not the operator's wording (src/policy/mcp/denial.ts)."""
    data = {"rule": finding.rule, "policy": policy, "event_id": event_id, "message": finding.advice}
    return Refusal(finding.advice, data)
