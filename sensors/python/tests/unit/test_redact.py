"""What looks like a credential leaves in no event."""

import json
from pathlib import Path
from time import thread_time
from types import SimpleNamespace
from typing import Any

import pytest

from ucp_sensor.events.redact import redact_arguments, redact_secrets
from ucp_sensor.mcp.conversation import Conversation
from ucp_sensor.policy.content import ContentRules
from ucp_sensor.policy.file import PolicyFile
from ucp_sensor.policy.finding import Finding, Target
from ucp_sensor.runtime.cause import cause_of

#: What both sensors keep out of events, and what they leave.
VECTORS = Path(__file__).resolve().parents[4] / "test" / "vectors" / "redaction" / "credentials.json"
PAIRS: "dict[str, list[tuple[Any, Any]]]" = json.loads(VECTORS.read_text())


@pytest.mark.parametrize(("text", "expected"), PAIRS["texts"])
def test_texts(text: str, expected: str) -> None:
    assert redact_secrets(text) == expected
    assert redact_secrets(expected) == expected


@pytest.mark.parametrize(("args", "expected"), PAIRS["arguments"])
def test_arguments(args: "list[str]", expected: "list[str]") -> None:
    assert redact_arguments(args) == expected


@pytest.mark.parametrize(("value", "expected"), PAIRS["values"])
def test_members(value: Any, expected: Any) -> None:
    assert ContentRules(PolicyFile(1, "none", {}, {})).value(value) == expected


def test_names_messages_and_causes() -> None:
    """The address of a resource may hold a password; rules and runtime events repeat it."""
    sent: list[Any] = []
    events = SimpleNamespace(emit=lambda *event: sent.append(event) or "id")
    conversation = Conversation(SimpleNamespace(events=events, policy_id="p"))  # type: ignore[arg-type]
    address = "db://me:hunter2@host/x?access_token=hunter2"
    finding = Finding("/rule", "observe", "allowed", f"{address} is denied", "no")
    conversation.found("resources/read", Target("server", "resource", "s", address), finding, "server")
    cause = cause_of("resources/read", "s", address, 1)
    assert "hunter2" not in f"{sent} {cause}"
    assert cause["mcp.target.name"] == "db://me:[redacted]@host/x?access_token=[redacted]"
    assert sent[0][3]["mcp.resource.uri"] == cause["mcp.target.name"]
    assert sent[0][4].message == sent[0][2]["message"] == f"{cause['mcp.target.name']} is denied"


def test_hostile_text_takes_linear_time() -> None:
    since = thread_time()
    for part in ("-", "--token ", "token", '"\\', "cookie:", "://a:", "-u a"):
        redact_secrets(part * (30_000 // len(part)), 30_000)
    assert thread_time() - since < 2


def test_secrets_are_taken_out() -> None:
    text = "curl -H 'Authorization: Bearer abc.def' https://me:pw@host/ --token=xyz sk-abcdefgh123 ok"
    clean = redact_secrets(text)
    for secret in ("abc.def", "pw@", "xyz", "sk-abcdefgh123"):
        assert secret not in clean
    assert clean.endswith(" ok")


def test_every_well_known_form_is_taken_out() -> None:
    forms = ["sk-" + "a" * 20, "AKIA" + "B" * 16, "AIza" + "c" * 35, "eyJ" + "d" * 10 + "." + "e" * 10 + "." + "f" * 5]
    forms += [f"gh{kind}_" + "g" * 20 for kind in "pousr"] + ["github_pat_" + "h" * 22, "xoxb-" + "i" * 12]
    forms += [f"{label}={'j' * 8}" for label in ("token", "SECRET", "passwd", "password", "api_key", "Authorization")]
    forms += ["\u017fecret: kkkkkkkk", "https://me:llllllll@host/"]
    for form in forms:
        for text in (form, f"before {form} after", f'{{"x": "{form}"}}'):
            assert form not in redact_secrets(text)
            assert "redacted" in redact_secrets(text)
    plain = "light = https://host/ghost: no tokens here, sk- is short"
    assert redact_secrets(plain) == plain


def test_a_credential_at_the_cut_leaves_no_beginning() -> None:
    text = "x" * 500 + " AKIA" + "B" * 16 + "y" * 100
    assert "AKIA" not in redact_secrets(text)
    assert len(redact_secrets("z" * 10_000)) == 513
