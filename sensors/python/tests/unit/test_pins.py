"""What is remembered of tools, and of whose sessions (digests: the shared vectors mcp-pins)."""

from typing import Any

import pytest

from ucp_sensor.mcp import pins
from ucp_sensor.mcp.pins import SessionPins, ToolPins


def tool(description: str) -> "dict[str, Any]":
    return {"name": "echo", "description": description}


def test_sessions_pin_apart_and_without_one_together() -> None:
    sessions = SessionPins()
    assert sessions.of("a").check("echo", tool("one")) is None
    assert sessions.of("b").check("echo", tool("two")) is None
    assert sessions.of(None).check("echo", tool("one")) is None
    assert sessions.of("a").check("echo", tool("two")) is not None
    assert sessions.of(None).check("echo", tool("two")) is not None
    assert [sessions.of(session).changed("echo") for session in ("a", "b", None)] == [True, False, True]


def test_the_session_that_was_quiet_the_longest_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pins, "MAX_SESSIONS", 3)
    sessions = SessionPins()
    for session in (None, "a", "b"):
        sessions.of(session).check("echo", tool("one"))
    sessions.of("a")
    sessions.of("c")
    changed = {session: sessions.of(session).check("echo", tool("two")) is not None for session in (None, "a")}
    assert changed == {None: True, "a": True}
    assert sessions.of("b").check("echo", tool("two")) is None


def test_more_tools_than_fit_are_not_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pins, "MAX_TOOLS", 1)
    known = ToolPins()
    assert known.check("echo", tool("one")) is None
    assert known.check("other", tool("one")) is None
    assert known.check("other", tool("two")) is None
    assert not known.changed("other")
    assert known.check("echo", tool("two")) is not None
