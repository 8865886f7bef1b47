"""What requests and responses of model vendors say, under OpenTelemetry's names (as sensors/js/src/llm/describe.ts)."""

import json
from typing import Any, NamedTuple

#: Request keys and OpenTelemetry's name of each.
_REQUEST = {
    "model": "gen_ai.request.model",
    "max_tokens": "gen_ai.request.max_tokens",
    "max_completion_tokens": "gen_ai.request.max_tokens",
    "max_output_tokens": "gen_ai.request.max_tokens",
    "temperature": "gen_ai.request.temperature",
    "top_p": "gen_ai.request.top_p",
    "top_k": "gen_ai.request.top_k",
    "seed": "gen_ai.request.seed",
    "stream": "gen_ai.request.stream",
}
#: Keys of a request that are content: prompts, and what the model may call.
_PROMPTS = ("messages", "input", "prompt", "system", "instructions", "tools")
#: Keys of a response that are content.
_ANSWERS = ("choices", "output", "content", "delta", "content_block")

_ENDPOINTS = {
    "openai": (
        ("/chat/completions", "chat"),
        ("/responses", "chat"),
        ("/completions", "text_completion"),
        ("/embeddings", "embeddings"),
    ),
    "anthropic": (("/v1/messages", "chat"),),
}


def operation_of(provider: str, url: str) -> "str | None":
    """OpenTelemetry's ``gen_ai.operation.name`` of a POST to ``url``; ``None``: no call of a model."""
    path = url.partition("?")[0].rstrip("/")
    return next((name for ending, name in _ENDPOINTS[provider] if path.endswith(ending)), None)


def request_attributes(body: "dict[str, Any]") -> "dict[str, Any]":
    found = ((name, body.get(key)) for key, name in _REQUEST.items())
    return {name: value for name, value in found if isinstance(value, (str, int, float))}


def prompts_of(body: "dict[str, Any]") -> "dict[str, Any]":
    return {key: body[key] for key in _PROMPTS if body.get(key) is not None}


def answers_of(message: "dict[str, Any]") -> "dict[str, Any]":
    return {key: message[key] for key in _ANSWERS if message.get(key) is not None}


def messages_of(text: str, event_stream: bool) -> "list[dict[str, Any]]":
    """The JSON objects in a response: one, or the ``data:`` lines of an event stream; ``[DONE]`` and cut lines are none."""
    texts = [line[5:] for line in text.splitlines() if line.startswith("data:")] if event_stream else [text]
    parsed = (_parse(text) for text in texts)
    return [message for message in parsed if isinstance(message, dict)]


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def response_attributes(messages: "list[dict[str, Any]]") -> "dict[str, Any]":
    """What a response says of itself; later messages of a stream win."""
    attributes: dict[str, Any] = {}
    finished: list[str] = []
    for message in messages:
        inner = _inside(message)
        usage = inner.get("usage") or {}
        for name, value in (
            ("gen_ai.response.id", inner.get("id")),
            ("gen_ai.response.model", inner.get("model")),
            ("gen_ai.usage.input_tokens", _first(usage, "input_tokens", "prompt_tokens")),
            ("gen_ai.usage.output_tokens", _first(usage, "output_tokens", "completion_tokens")),
        ):
            if isinstance(value, (str, int)):
                attributes[name] = value
        finished += _reasons(inner, message)
    if finished:
        attributes["gen_ai.response.finish_reasons"] = finished
    return attributes


class ToolCall(NamedTuple):
    name: str
    id: str


def tool_calls_of(messages: "list[dict[str, Any]]") -> "list[ToolCall]":
    """Tools that the model wants called: chat choices, responses' items and content blocks, whole or streamed."""
    found: list[ToolCall] = []
    for message in messages:
        inner = _inside(message)
        for choice in inner.get("choices") or []:
            said = choice.get("message") or choice.get("delta") or {}
            for call in said.get("tool_calls") or []:
                _note(found, (call.get("function") or {}).get("name"), call.get("id"))
        items = [*_list(inner.get("output")), *_list(inner.get("content"))]
        for item in (*items, message.get("item"), message.get("content_block")):
            if isinstance(item, dict) and item.get("type") in ("function_call", "tool_use", "mcp_call"):
                _note(found, item.get("name"), item.get("call_id") or item.get("id"))
    return list(dict.fromkeys(found))


def _note(found: "list[ToolCall]", name: Any, identity: Any) -> None:
    if isinstance(name, str) and name:
        found.append(ToolCall(name, str(identity or "")))


def _list(value: Any) -> "list[Any]":
    return value if isinstance(value, list) else []


def _first(usage: Any, *names: str) -> Any:
    return next((usage[name] for name in names if isinstance(usage, dict) and usage.get(name) is not None), None)


def _inside(message: "dict[str, Any]") -> "dict[str, Any]":
    """Events of a stream wrap the response: ``response.completed`` (openai), ``message_start`` (anthropic)."""
    for key in ("response", "message"):
        inner = message.get(key)
        if isinstance(inner, dict):
            return inner
    return message


def _reasons(inner: "dict[str, Any]", message: "dict[str, Any]") -> "list[str]":
    delta = message.get("delta")
    reasons = [choice.get("finish_reason") for choice in inner.get("choices") or [] if isinstance(choice, dict)]
    reasons += [inner.get("stop_reason"), delta.get("stop_reason") if isinstance(delta, dict) else None]
    return [reason for reason in reasons if isinstance(reason, str)]
