"""Runs of a framework by their ids: each start and each end is an event, with its parent."""

from time import monotonic
from typing import Any

from ..runtime.cause import CAUSE
from ..sensor import Sensor

#: Runs that may be open; beyond it the oldest is forgotten.
_MAX_OPEN = 10_000

#: Kind of run → attribute of its name, and OpenTelemetry's operation.
_NAME = {"tool": "gen_ai.tool.name"}
_OPERATION = {"tool": "execute_tool", "llm": "chat", "retriever": "retrieval"}


class _Run:
    __slots__ = ("attributes", "name", "node", "parent", "since", "tokens")

    def __init__(self, name: str, parent: str, node: Any, attributes: "dict[str, Any]") -> None:
        self.name = name
        self.parent = parent
        self.node = node
        self.attributes = attributes
        self.since = monotonic()
        self.tokens = 0


class Runs:
    """Content is told where policy says so (``langchain.capture_content``), redacted by ``llm.redact``."""

    def __init__(self, sensor: Sensor) -> None:
        self._sensor = sensor
        self._open: dict[str, _Run] = {}

    def start(
        self, kind: str, run_id: Any, serialized: Any, given: "dict[str, Any]", content: Any, body: Any = None
    ) -> None:
        if not self._sensor.settings().langchain.enabled:
            return
        name = str(given.get("name") or (serialized or {}).get("name") or "")
        parent = given.get("parent_run_id")
        metadata = given.get("metadata") or {}
        attributes = dict(CAUSE.get() or {})
        if kind in _OPERATION:
            attributes["gen_ai.operation.name"] = _OPERATION[kind]
        if name and kind in _NAME:
            attributes[_NAME[kind]] = name
        for attribute, value in (
            ("gen_ai.request.model", _model_of(given, metadata) if kind == "llm" else None),
            ("gen_ai.provider.name", metadata.get("ls_provider") if kind == "llm" else None),
            ("gen_ai.agent.name", metadata.get("lc_agent_name")),
        ):
            if isinstance(value, str) and value:
                attributes[attribute] = value
        run = _Run(name, "" if parent is None else str(parent), metadata.get("langgraph_node"), attributes)
        self._open[str(run_id)] = run
        if len(self._open) > _MAX_OPEN:
            del self._open[next(iter(self._open))]
        self._tell(f"langchain_{kind}_start", str(run_id), run, {**(body or {}), **self._captured(content)}, {})

    def token(self, run_id: Any) -> None:
        run = self._open.get(str(run_id))
        if run is not None:
            run.tokens += 1

    def end(self, kind: str, run_id: Any, content: Any = None, body: Any = None, usage: Any = None) -> None:
        self._end(kind, run_id, {"outcome": "ok"}, {**(body or {}), **self._captured(content)}, usage or {})

    def failed(self, kind: str, run_id: Any, error: BaseException) -> None:
        told = {"outcome": "error", "error": type(error).__name__}
        self._end(kind, run_id, told, self._captured({"message": str(error)}), {"error.type": type(error).__name__})

    def seen(self, event: str, run_id: Any, body: "dict[str, Any]", content: Any) -> None:
        """Something that happened in a run that goes on."""
        run = self._open.get(str(run_id)) or _Run("", "", None, {})
        self._tell(f"langchain_{event}", str(run_id), run, {**body, **self._captured(content)}, {})

    def _end(self, kind: str, run_id: Any, told: "dict[str, Any]", more: "dict[str, Any]", attributes: Any) -> None:
        run = self._open.pop(str(run_id), None) or _Run("", "", None, {})
        body = {**told, "duration_ms": round((monotonic() - run.since) * 1000), **more}
        if run.tokens:
            body["streamed_tokens"] = run.tokens
        self._tell(f"langchain_{kind}_end", str(run_id), run, body, attributes)

    def _captured(self, content: Any) -> "dict[str, Any]":
        sensor = self._sensor
        rules = sensor.content() if content and sensor.settings().langchain.content else None
        captured: dict[str, Any] = {} if rules is None else rules.value(content)
        return captured

    def _tell(self, event: str, run_id: str, run: _Run, body: "dict[str, Any]", attributes: "dict[str, Any]") -> None:
        if not self._sensor.settings().langchain.enabled:
            return
        about: dict[str, Any] = {"run_id": run_id, "parent_run_id": run.parent or None, "name": run.name}
        if run.node is not None:
            about["node"] = str(run.node)
        told = {**run.attributes, **attributes}
        self._sensor.events.emit(event, "langchain", {**about, **body}, told, scope="langchain")


def _model_of(given: "dict[str, Any]", metadata: "dict[str, Any]") -> Any:
    parameters = given.get("invocation_params") or {}
    return metadata.get("ls_model_name") or parameters.get("model") or parameters.get("model_name")


def usage_of(response: Any) -> "dict[str, Any]":
    """Tokens, from the first generation's message or what the model's class reports."""
    try:
        usage = response.generations[0][0].message.usage_metadata or {}
        pairs = (("input", "input_tokens"), ("output", "output_tokens"))
        return {f"gen_ai.usage.{name}_tokens": usage[key] for name, key in pairs if key in usage}
    except (AttributeError, IndexError, TypeError):
        pass
    usage = (getattr(response, "llm_output", None) or {}).get("token_usage") or {}
    pairs = (("input", "prompt_tokens"), ("output", "completion_tokens"))
    return {f"gen_ai.usage.{name}_tokens": usage[key] for name, key in pairs if key in usage}
