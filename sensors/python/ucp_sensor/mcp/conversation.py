"""What is known of one end of a conversation, and how it tells of what happens."""

from contextvars import ContextVar
from time import monotonic
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ..events.redact import redact_name
from ..llm.links import asked_for
from ..policy.finding import Finding, Target
from ..sensor import Sensor
from .denial import Refusal, refusal_of
from .methods import EVENT_OF
from .pins import SessionPins, ToolPins
from .tasks import Tasks

if TYPE_CHECKING:
    from ..policy.mcp import McpRules

#: Name of a server that has not said it.
UNNAMED = "(unnamed)"

#: Attribute that names a target, after OpenTelemetry's MCP and GenAI conventions.
_TARGET = {"tool": "gen_ai.tool.name", "resource": "mcp.resource.uri", "prompt": "gen_ai.prompt.name"}


class Conversation:
    """One per server object, and one per client session."""

    def __init__(self, sensor: Sensor) -> None:
        self.sensor = sensor
        self.server = UNNAMED
        self.transport = "memory"
        self.session: str | None = None
        self._pins = SessionPins()
        #: Calls whose results are fetched later.
        self.tasks: Tasks[Target] = Tasks()

    @property
    def pins(self) -> ToolPins:
        """What tools were when they were listed first: in the session, or where there is none, for as long as this lives."""
        return self._pins.of(self.session)

    def scene(self, side: str) -> "dict[str, Any]":
        return {"side": side, "server": self.server, "transport": self.transport}

    def attributes(self, method: str, target: "Target | None") -> "dict[str, Any]":
        attributes: dict[str, Any] = {"mcp.method.name": method, "mcp.server.name": self.server}
        if self.session is not None:
            attributes["mcp.session.id"] = self.session
        if target is not None:
            named = _TARGET.get(target.kind)
            if named is not None:
                attributes[named] = redact_name(target.name)
            if target.side == "client" and target.kind == "tool":
                attributes.update(asked_for(target.name))
        return attributes

    def found(self, method: str, target: "Target | None", finding: Finding, side: str) -> "Refusal | None":
        """Tells of a broken rule and makes the refusal of it, where it blocks."""
        message = redact_name(finding.message)
        violation = finding.violation._replace(message=message)
        body = {**self.scene(side), "message": message}
        identity = self.sensor.events.emit("mcp_violation", "mcp", body, self.attributes(method, target), violation)
        return refusal_of(finding, self.sensor.policy_id, identity) if finding.blocks else None

    def failed(self, rules: "McpRules | None", method: str, side: str, error: BaseException) -> "Refusal | None":
        """What is refused when the sensor itself failed (invariant 5: ``on_error``)."""
        self.sensor.report(f"mcp {method}", error)
        if rules is None or not rules.fails_closed(side):
            return None
        finding = Finding(
            "/python_sensor/mcp",
            "enforce",
            "blocked",
            f"The request {method} could not be judged and was refused.",
            "Do not retry; the policy sensor reported an internal error.",
        )
        return self.found(method, None, finding, side)

    def answered(
        self, method: str, side: str, target: "Target | None", since: float, outcome: str, more: "dict[str, Any]"
    ) -> None:
        """Tells of a request that has its answer."""
        name = EVENT_OF.get(method)
        if name is None:
            return
        took = round((monotonic() - since) * 1000)
        body = {**self.scene(side), "outcome": outcome, "duration_ms": took, **more}
        self.sensor.events.emit(name, "mcp", body, self.attributes(method, target))

    def seen(self, name: str, method: str, side: str) -> None:
        """A notification or an embedded request that is worth telling."""
        self.sensor.events.emit(name, "mcp", self.scene(side), self.attributes(method, None))


#: The client conversation whose request was made last in this context.
LAST: "ContextVar[Conversation | None]" = ContextVar("ucp_sensor_conversation", default=None)

#: The server conversation whose request is being answered in this context.
SERVING: "ContextVar[Conversation | None]" = ContextVar("ucp_sensor_serving", default=None)

_CONVERSATIONS: "WeakKeyDictionary[Any, Conversation]" = WeakKeyDictionary()


def conversation_of(sensor: Sensor, owner: Any) -> Conversation:
    """The conversation of a server object or a client session; a new one for what can't be remembered."""
    try:
        found = _CONVERSATIONS.get(owner)
        if found is None:
            found = _CONVERSATIONS[owner] = Conversation(sensor)
        return found
    except TypeError:
        return Conversation(sensor)
