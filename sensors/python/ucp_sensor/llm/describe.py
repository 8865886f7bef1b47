"""What requests to model vendors say, under OpenTelemetry's names (as sensors/js/src/llm/describe.ts)."""

from typing import Any

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
