"""What a model answered, put together from the pieces of a stream.

Pieces are joined before anything looks at them: a key that is split over two pieces is found in neither. Knows the
forms of chat completions, completions, Responses and Messages, whole and streamed, by their shape.
"""

from typing import Any

#: Characters of all texts of one answer that are kept; an event carries far less.
MAX_KEPT = 1024 * 1024
#: Characters of one text that are kept: more than is captured of it, so that what is cut off was looked at.
MAX_TEXT = 64 * 1024
#: Choices, content blocks and output items.
MAX_PARTS = 200

#: Keys of a piece that replace what came before them; all other texts go on where the last piece ended.
_WHOLE = frozenset({"id", "type", "role", "index", "object", "name", "status", "call_id", "item_id", "finish_reason"})

#: Kind of a piece of a content block (Messages) and the key of the block that it continues.
_BLOCK = {"text_delta": ("text", "text"), "thinking_delta": ("thinking", "thinking")}
_BLOCK["input_json_delta"] = ("partial_json", "input")

Json = dict[str, Any]


class Answer:
    """``add`` takes the messages of a response in their order: one, or the events of a stream."""

    def __init__(self) -> None:
        self.attributes: Json = {}
        self.choices: dict[int, Json] = {}
        #: Content blocks (Messages) or output items (Responses).
        self.parts: dict[int, Json] = {}
        self._output = False
        self._finished: list[str] = []
        self._room = MAX_KEPT

    def add(self, message: Json) -> None:
        inner = _inside(message)
        self._describe(inner, message)
        for choice in _list(inner.get("choices")):
            self._choice(choice)
        if isinstance(inner.get("output"), list):
            self._output = True
            if inner["output"]:
                self.parts = dict(enumerate(inner["output"][:MAX_PARTS]))
        elif inner.get("type") == "message" and isinstance(inner.get("content"), list):
            self.parts = dict(enumerate(inner["content"][:MAX_PARTS]))
        else:
            self._piece(message)

    def content(self) -> Json:
        """As a response that was not streamed has it."""
        content: Json = {}
        if self.choices:
            content["choices"] = [self.choices[index] for index in sorted(self.choices)]
        if self.parts:
            content["output" if self._output else "content"] = [self.parts[index] for index in sorted(self.parts)]
        return content

    def tool_calls(self) -> "list[tuple[str, str]]":
        """Name and the vendor's id of each tool that the model wants called."""
        calls: list[Json] = []
        for choice in self.choices.values():
            for call in _list(_object(choice.get("message")).get("tool_calls")):
                function = _object(call.get("function") or call.get("custom"))
                calls.append({"name": function.get("name"), "id": call.get("id")})
        for part in map(_object, self.parts.values()):
            if part.get("type") in ("function_call", "custom_tool_call", "tool_use", "mcp_call"):
                calls.append({"name": part.get("name"), "id": part.get("call_id") or part.get("id")})
        named = [(call["name"], str(call["id"] or "")) for call in calls if isinstance(call["name"], str)]
        return list(dict.fromkeys(named))

    def _describe(self, inner: Json, message: Json) -> None:
        usage = _object(inner.get("usage"))
        for name, value in (
            ("gen_ai.response.id", inner.get("id")),
            ("gen_ai.response.model", inner.get("model")),
            ("gen_ai.usage.input_tokens", _first(usage, "input_tokens", "prompt_tokens")),
            ("gen_ai.usage.output_tokens", _first(usage, "output_tokens", "completion_tokens")),
        ):
            if isinstance(value, (str, int)):
                self.attributes[name] = value
        reasons = [choice.get("finish_reason") for choice in _list(inner.get("choices"))]
        reasons += [inner.get("stop_reason"), _object(message.get("delta")).get("stop_reason")]
        self._finished += [reason for reason in reasons if isinstance(reason, str)]
        if self._finished:
            self.attributes["gen_ai.response.finish_reasons"] = self._finished[:MAX_PARTS]

    def _choice(self, choice: Json) -> None:
        index = choice.get("index")
        index = index if isinstance(index, int) else len(self.choices)
        delta = choice.get("delta")
        if delta is None and index not in self.choices and len(self.choices) < MAX_PARTS:
            self.choices[index] = choice
            return
        into = _part(self.choices, index)
        rest = {key: value for key, value in choice.items() if key in ("index", "text", "finish_reason")}
        self._join(into, {**rest, "message": delta} if isinstance(delta, dict) else rest)

    def _piece(self, message: Json) -> None:
        """An event of a stream of Messages or Responses."""
        kind = str(message.get("type") or "")
        index = message.get("output_index", message.get("index"))
        if not isinstance(index, int):
            return
        if kind.startswith("response."):
            self._output = True
            if isinstance(message.get("item"), dict):
                _put(self.parts, index, message["item"])
            elif kind.endswith(".delta") and isinstance(message.get("delta"), str):
                part = _part(self.parts, index)
                self._append(part, kind[len("response.") : -len(".delta")], message["delta"])
        elif kind == "content_block_start" and isinstance(message.get("content_block"), dict):
            block = dict(message["content_block"])
            _put(self.parts, index, {**block, "input": ""} if block.get("input") == {} else block)
        elif kind == "content_block_delta" and isinstance(message.get("delta"), dict):
            source, target = _BLOCK.get(str(message["delta"].get("type")), ("", ""))
            text = message["delta"].get(source)
            if isinstance(text, str):
                self._append(_part(self.parts, index), target, text)

    def _join(self, into: Json, piece: Json) -> None:
        for key, value in piece.items():
            known = into.get(key)
            if value is None:
                continue
            if isinstance(value, str) and key not in _WHOLE:
                self._append(into, key, value)
            elif isinstance(value, dict):
                if not isinstance(known, dict):
                    known = into[key] = {}
                self._join(known, value)
            elif isinstance(value, list):
                if not isinstance(known, list):
                    known = into[key] = []
                self._join_list(known, value)
            else:
                into[key] = value

    def _join_list(self, into: "list[Any]", pieces: "list[Any]") -> None:
        for piece in pieces[:MAX_PARTS]:
            index = piece.get("index") if isinstance(piece, dict) else None
            known = next((one for one in into if isinstance(one, dict) and one.get("index") == index), None)
            if index is not None and known is not None:
                self._join(known, piece)
            elif len(into) < MAX_PARTS:
                into.append(piece)

    def _append(self, into: Json, key: str, text: str) -> None:
        known = into.get(key)
        known = known if isinstance(known, str) else ""
        kept = text[: max(0, min(MAX_TEXT - len(known), self._room))]
        self._room -= len(kept)
        into[key] = known + kept


def _put(parts: "dict[int, Json]", index: int, part: Json) -> None:
    if index in parts or len(parts) < MAX_PARTS:
        parts[index] = part


def _part(parts: "dict[int, Json]", index: int) -> Json:
    """The part to go on with; one that nobody keeps when there are too many."""
    if index not in parts:
        _put(parts, index, {})
    part = parts.get(index)
    return part if isinstance(part, dict) else {}


def _inside(message: Json) -> Json:
    """Events of a stream wrap the response: ``response.completed`` (openai), ``message_start`` (anthropic)."""
    for key in ("response", "message"):
        inner = message.get(key)
        if isinstance(inner, dict):
            return inner
    return message


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> "list[Json]":
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _first(usage: Json, *names: str) -> Any:
    return next((usage[name] for name in names if usage.get(name) is not None), None)
