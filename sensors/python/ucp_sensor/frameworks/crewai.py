"""CrewAI (1.x): crews, tasks, agents, tools, model calls, flows, memory, MCP and A2A, from its event bus; observing.

``emit`` itself is wrapped: in order, in the emitting thread, unaffected by scoped handlers, and nothing to flush at the
end. Can't see: an own ``BaseLLM`` emits no model events.
"""

from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, owned, wrap
from ..runtime.cause import CAUSE
from ..sensor import Sensor

#: Fields of events that are told, and the attribute or body key of each. Content (messages, arguments, results) isn't.
_ATTRIBUTES = {
    "tool_name": "gen_ai.tool.name",
    "model": "gen_ai.request.model",
    "agent_role": "gen_ai.agent.name",
    "response_id": "gen_ai.response.id",
}
_BODY = (
    "crew_name",
    "task_name",
    "flow_name",
    "method_name",
    "server_name",
    "transport_type",
    "finish_reason",
    "error",
)


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
        kind = str(getattr(event, "type", ""))
        if not kind or kind == "llm_stream_chunk" or not sensor.settings().crewai:
            return
        attributes = dict(CAUSE.get() or {})
        for field, name in _ATTRIBUTES.items():
            value = getattr(event, field, None)
            if isinstance(value, str) and value:
                attributes[name] = value.strip()
        body = {field: str(value)[:500] for field in _BODY if (value := getattr(event, field, None)) is not None}
        for field in ("event_id", "parent_event_id"):
            if getattr(event, field, None) is not None:
                body[field] = str(getattr(event, field))
        sensor.events.emit(f"crewai_{kind}", "crewai", body, attributes, scope="crewai")
    except Exception as error:
        sensor.report("crewai", error)
