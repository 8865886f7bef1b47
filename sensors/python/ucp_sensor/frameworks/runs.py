"""Runs of a framework by their ids: each start and each end is an event, with its parent."""

from time import monotonic
from typing import Any

from ..runtime.cause import CAUSE
from ..sensor import Sensor

#: Runs that may be open; beyond it the oldest is forgotten.
_MAX_OPEN = 10_000

_ATTRIBUTE = {"tool": "gen_ai.tool.name", "llm": "gen_ai.request.model", "agent": "gen_ai.agent.name"}


class _Run:
    __slots__ = ("name", "parent", "since", "tokens")

    def __init__(self, name: str, parent: str) -> None:
        self.name = name
        self.parent = parent
        self.since = monotonic()
        self.tokens = 0


class Runs:
    def __init__(self, sensor: Sensor) -> None:
        self._sensor = sensor
        self._open: dict[str, _Run] = {}

    def start(
        self, kind: str, run_id: Any, serialized: Any, given: "dict[str, Any]", more: "dict[str, Any] | None" = None
    ) -> None:
        name = str(given.get("name") or (serialized or {}).get("name") or "")
        parent = given.get("parent_run_id")
        run = self._open[str(run_id)] = _Run(name, "" if parent is None else str(parent))
        if len(self._open) > _MAX_OPEN:
            del self._open[next(iter(self._open))]
        self._tell(f"langchain_{kind}_start", kind, str(run_id), run, more or {})

    def token(self, run_id: Any) -> None:
        run = self._open.get(str(run_id))
        if run is not None:
            run.tokens += 1

    def end(
        self, kind: str, run_id: Any, error: "BaseException | None" = None, more: "dict[str, Any] | None" = None
    ) -> None:
        run = self._open.pop(str(run_id), None) or _Run("", "")
        body = {"outcome": "ok" if error is None else "error", "duration_ms": round((monotonic() - run.since) * 1000)}
        body.update(more or {})
        if run.tokens:
            body["streamed_tokens"] = run.tokens
        if error is not None:
            body["error"] = type(error).__name__
        self._tell(f"langchain_{kind}_end", kind, str(run_id), run, body)

    def seen(self, event: str, run_id: Any, body: "dict[str, Any]") -> None:
        run = self._open.get(str(run_id)) or _Run("", "")
        self._tell(f"langchain_{event}", "agent", str(run_id), run, body)

    def _tell(self, event: str, kind: str, run_id: str, run: _Run, body: "dict[str, Any]") -> None:
        if not self._sensor.settings().langchain:
            return
        attributes = dict(CAUSE.get() or {})
        if run.name and kind in _ATTRIBUTE:
            attributes[_ATTRIBUTE[kind]] = run.name
        about = {"run_id": run_id, "parent_run_id": run.parent or None, "name": run.name}
        self._sensor.events.emit(event, "langchain", {**about, **body}, attributes, scope="langchain")


def usage_of(response: Any) -> "dict[str, Any]":
    """Tokens, from the first generation's message or what the model's class reports."""
    try:
        usage = response.generations[0][0].message.usage_metadata or {}
        return {name: usage[name] for name in ("input_tokens", "output_tokens") if name in usage}
    except (AttributeError, IndexError, TypeError):
        pass
    usage = (getattr(response, "llm_output", None) or {}).get("token_usage") or {}
    pairs = (("input_tokens", "prompt_tokens"), ("output_tokens", "completion_tokens"))
    return {name: usage[key] for name, key in pairs if key in usage}
