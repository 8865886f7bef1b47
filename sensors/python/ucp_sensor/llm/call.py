"""One call of a model: told when it is made and when its answer has been read."""

from time import monotonic
from typing import Any

from ..runtime.cause import CAUSE
from ..sensor import Sensor
from .answer import Answer
from .describe import operation_of, prompts_of, request_attributes
from .links import remember


class ModelCall:
    """``end`` may be called by whoever comes first; later ones are ignored. Nothing here raises."""

    def __init__(self, sensor: Sensor, provider: str, operation: str, host: str, body: "dict[str, Any]") -> None:
        self._sensor = sensor
        self._since = monotonic()
        self._ended = False
        self._content = operation != "embeddings"
        self._attributes = {
            "gen_ai.provider.name": provider,
            "gen_ai.operation.name": operation,
            "server.address": host,
            **request_attributes(body),
            **(CAUSE.get() or {}),
        }
        self._request = sensor.events.emit("llm_request", "llm", self._captured(prompts_of(body)), self._attributes)

    def end(self, answer: Answer, status: "int | None", error: "BaseException | None" = None) -> None:
        if self._ended:
            return
        self._ended = True
        try:
            self._tell(answer, status, error)
        except Exception as failure:
            self._sensor.report("llm response", failure)

    def failed(self, error: Exception, status: "int | None") -> None:
        """The sensor could not read the answer: it is told without."""
        self._sensor.report("llm response", error)
        try:
            self.end(Answer(), status)
        except Exception as failure:
            self._sensor.report("llm response", failure)

    def raised(self, error: BaseException) -> None:
        """The program's own call raised: it is told, and goes on."""
        try:
            self.end(Answer(), getattr(error, "status_code", None), error)
        except Exception as failure:
            self._sensor.report("llm response", failure)

    def _tell(self, answer: Answer, status: "int | None", error: "BaseException | None") -> None:
        content = answer.content() if self._content else {}
        body = {"request": self._request, "duration_ms": round((monotonic() - self._since) * 1000)}
        body.update(self._captured({"answers": [content]} if content else {}))
        attributes = {**self._attributes, **answer.attributes}
        if status is not None:
            attributes["http.response.status_code"] = status
        if error is not None:
            attributes["error.type"] = type(error).__name__
        calls = answer.tool_calls()
        if calls:
            body["tool_calls"] = [{"name": name, "id": identity} for name, identity in calls]
        event = self._sensor.events.emit("llm_response", "llm", body, attributes)
        remember(event, calls)

    def _captured(self, content: "dict[str, Any]") -> "dict[str, Any]":
        """Content as an event carries it: redacted; left out where policy says so."""
        rules = self._sensor.content()
        if rules is None or not self._sensor.settings().llm.content:
            return {}
        captured: dict[str, Any] = rules.value(content)
        return captured


def begin(sensor: Sensor, provider: str, client: Any, options: Any) -> "ModelCall | None":
    """``None`` for what isn't a model's call, or when nobody asks."""
    try:
        settings = sensor.settings().llm
        if not settings.enabled or provider not in settings.providers or str(options.method).lower() != "post":
            return None
        operation = operation_of(provider, str(options.url))
        if operation is None:
            return None
        body = options.json_data if isinstance(options.json_data, dict) else {}
        host = getattr(getattr(client, "base_url", None), "netloc", b"")
        return ModelCall(sensor, provider, operation, host.decode("ascii", "replace").rpartition("@")[2], body)
    except Exception as error:
        sensor.report("llm request", error)
        return None
