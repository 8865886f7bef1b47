"""CrewAI (1.x): crews, tasks, agents, tools, model calls, flows, memory, MCP and A2A, from its event bus; observing.

``emit`` itself is wrapped: in order, in the emitting thread, unaffected by scoped handlers, and nothing to flush at the
end. Can't see: an own ``BaseLLM`` emits no model events.
"""

from types import ModuleType
from typing import Any

from ..events.redact import redact_secrets
from ..load.wrap import AnyFunction, owned, wrap
from ..runtime.cause import CAUSE
from ..sensor import Sensor

#: Fields that are attributes, under OpenTelemetry's names.
_ATTRIBUTES = {
    "tool_name": "gen_ai.tool.name",
    "model": "gen_ai.request.model",
    "agent_role": "gen_ai.agent.name",
    "response_id": "gen_ai.response.id",
    "error_type": "error.type",
    "server_name": "mcp.server.name",
}
_USAGE = (
    ("gen_ai.usage.input_tokens", ("prompt_tokens", "input_tokens")),
    ("gen_ai.usage.output_tokens", ("completion_tokens", "output_tokens")),
)
#: What an event is about: names, ids, outcomes and counts.
_BODY = (
    "crew_name", "task_id", "agent_id", "flow_name", "method_name", "server_name", "server_url",
    "transport_type", "finish_reason", "call_id", "event_id", "parent_event_id", "started_event_id", "endpoint",
    "a2a_agent_name", "context_id", "message_id", "skill_id", "status", "success", "from_cache",
    "run_attempts", "retry_count", "status_code", "error_type", "query_time_ms", "save_time_ms", "limit",
    "retrieval_time_ms", "execution_duration_ms", "connection_duration_ms", "total_tokens", "attempt", "ready",
)  # fmt: skip
#: What people, models and tools said. A task without a name has its description as ``task_name``.
_CONTENT = (
    "task_name",
    "messages", "response", "tool_args", "output", "inputs", "result", "results", "task_prompt", "task_description",
    "query", "value", "state", "params", "memory_content", "retrieved_knowledge", "plan", "message", "error",
    "final_result", "content", "user_message", "feedback", "formatted_answer", "context", "failure",
)  # fmt: skip

#: Pieces of streams: there are as many as tokens, and all is told at the end.
_PIECES = frozenset({"llm_stream_chunk", "llm_thinking_chunk", "a2a_streaming_chunk"})


def install(sensor: Sensor, module: ModuleType) -> None:
    def make(original: AnyFunction) -> AnyFunction:
        def emit(self: Any, source: Any, event: Any, *args: Any, **kwargs: Any) -> Any:
            _tell(sensor, event)
            return original(self, source, event, *args, **kwargs)

        return emit

    bus = module.__dict__["CrewAIEventsBus"]
    for name in ("emit", "aemit"):
        if owned(bus, name):
            wrap(bus, name, make)


def _tell(sensor: Sensor, event: Any) -> None:
    try:
        settings = sensor.settings().crewai
        kind = str(getattr(event, "type", ""))
        if not settings.enabled or not kind or kind in _PIECES:
            return
        body = {name: _plain(value) for name in _BODY if (value := getattr(event, name, None)) is not None}
        if kind.endswith(("_failed", "_error")):
            body["outcome"] = "error"
        rules = sensor.content() if settings.content else None
        if rules is not None:
            content = {name: value for name in _CONTENT if (value := getattr(event, name, None)) is not None}
            body.update(rules.value(content))
        sensor.events.emit(f"crewai_{kind}", "crewai", body, _attributes_of(event), scope="crewai")
    except Exception as error:
        sensor.report("crewai", error)


def _attributes_of(event: Any) -> "dict[str, Any]":
    attributes = dict(CAUSE.get() or {})
    for field, name in _ATTRIBUTES.items():
        value = getattr(event, field, None)
        if isinstance(value, str) and value:
            attributes[name] = redact_secrets(value.strip())
    usage = getattr(event, "usage", None)
    for name, keys in _USAGE:
        found = next((usage[key] for key in keys if key in usage), None) if isinstance(usage, dict) else None
        if isinstance(found, int):
            attributes[name] = found
    return attributes


def _plain(value: Any) -> Any:
    return value if isinstance(value, (bool, int, float)) else redact_secrets(str(value), 500)
