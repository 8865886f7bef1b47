"""Answers of models, whole and in pieces, in the vendors' wire formats: joined before anything looks at them."""

import base64
import json
import struct
from typing import Any

import pytest

from ucp_sensor.llm.answer import MAX_PARTS, MAX_TEXT, Answer
from ucp_sensor.llm.reader import BATCH, BodyReader

from ..model_vendor import aws_frame

KEY = "sk-abcdefghijklmnopqrstuvwxyz"


def read(text: str, size: int, kind: str = "text/event-stream") -> Answer:
    reader = BodyReader({"content-type": kind}, None)
    data = text.encode()
    for at in range(0, len(data), size):
        reader.feed(data[at : at + size])
    return reader.end()


def stream(*messages: Any) -> str:
    return "".join(f"event: e\r\ndata: {json.dumps(message)}\r\n\r\n" for message in messages) + "data: [DONE]\n\n"


def chunk(delta: Any, **more: Any) -> Any:
    return {"id": "c", "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": None, **more}]}


CHAT = stream(
    chunk({"role": "assistant", "content": "my key "}),
    chunk({"content": KEY[:9]}),
    chunk({"content": KEY[9:]}),
    chunk({"tool_calls": [{"index": 0, "id": "t1", "type": "function", "function": {"name": "add", "arguments": ""}}]}),
    chunk({"tool_calls": [{"index": 0, "function": {"arguments": '{"a":'}}]}),
    chunk({"tool_calls": [{"index": 0, "function": {"arguments": "1}"}}]}),
    chunk({}, finish_reason="tool_calls"),
    {"id": "c", "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}},
)
MESSAGES = stream(
    {
        "type": "message_start",
        "message": {"id": "msg", "model": "m", "type": "message", "content": [], "usage": {"input_tokens": 3}},
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": f"my key {KEY[:9]}"}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": KEY[9:]}},
    {"type": "content_block_stop", "index": 0},
    {
        "type": "content_block_start",
        "index": 1,
        "content_block": {"type": "tool_use", "id": "t1", "name": "add", "input": {}},
    },
    {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"a":'}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "1}"}},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 4}},
    {"type": "message_stop"},
)
ITEM = {"type": "function_call", "id": "fc", "call_id": "t1", "name": "add", "arguments": '{"a":1}'}
TEXT = {
    "type": "message",
    "id": "m1",
    "role": "assistant",
    "content": [{"type": "output_text", "text": f"my key {KEY}"}],
}
RESPONSE = {"id": "resp", "model": "m", "object": "response", "usage": {"input_tokens": 3, "output_tokens": 4}}
EARLY = (
    {"type": "response.created", "response": {"id": "resp", "model": "m", "output": []}},
    {"type": "response.output_item.added", "output_index": 0, "item": {"type": "message", "content": []}},
    {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": f"my key {KEY[:9]}"},
    {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": KEY[9:]},
)
RESPONSES = stream(*EARLY, {"type": "response.completed", "response": {**RESPONSE, "output": [TEXT, ITEM]}})


@pytest.mark.parametrize("size", [1, 7, 100_000])
@pytest.mark.parametrize("text", [CHAT, MESSAGES, RESPONSES], ids=["chat", "messages", "responses"])
def test_pieces_are_joined_however_they_come(text: str, size: int) -> None:
    answer = read(text, size)
    said = json.dumps(answer.content())
    assert f"my key {KEY}" in said
    assert '{\\"a\\":1}' in said
    assert answer.tool_calls() == [("add", "t1")]
    assert answer.attributes["gen_ai.usage.input_tokens"] == 3
    assert answer.attributes["gen_ai.usage.output_tokens"] == 4
    assert answer.attributes["gen_ai.response.model"] == "m"


def test_a_stream_has_the_form_of_what_is_not_streamed() -> None:
    message = {
        "role": "assistant",
        "content": f"my key {KEY}",
        "tool_calls": [
            {"index": 0, "id": "t1", "type": "function", "function": {"name": "add", "arguments": '{"a":1}'}}
        ],
    }
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    assert read(CHAT, 50).content() == {"choices": [choice]}
    blocks = [
        {"type": "text", "text": f"my key {KEY}"},
        {"type": "tool_use", "id": "t1", "name": "add", "input": '{"a":1}'},
    ]
    assert read(MESSAGES, 50).content() == {"content": blocks}
    assert read(RESPONSES, 50).content() == {"output": [TEXT, ITEM]}


def test_a_stream_that_ends_early_tells_what_came() -> None:
    assert f"my key {KEY}" in json.dumps(read(stream(*EARLY), 50).content())
    cut = CHAT[: CHAT.index("tool_calls") - 20]
    assert f"my key {KEY}" in json.dumps(read(cut, 50).content())


def test_the_usage_of_a_long_stream_is_told_and_its_text_is_bounded() -> None:
    text = "word " * 20
    long = stream(
        *[chunk({"content": text})] * 6000,
        {"id": "c", "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}},
    )
    assert len(long) > 1024 * 1024 > BATCH
    answer = read(long, 4096)
    assert answer.attributes["gen_ai.usage.output_tokens"] == 4
    assert len(answer.content()["choices"][0]["message"]["content"]) == MAX_TEXT


def test_many_parts_are_bounded() -> None:
    answer = Answer()
    for index in range(MAX_PARTS * 2):
        answer.add({"choices": [{"index": index, "delta": {"content": "x"}}]})
        answer.add({"type": "content_block_start", "index": index, "content_block": {"type": "text"}})
    content = answer.content()
    assert len(content["choices"]) == MAX_PARTS
    assert len(content["content"]) == MAX_PARTS


def test_frames_of_bedrock_are_read() -> None:
    events = [json.loads(line[5:]) for line in MESSAGES.splitlines() if line.startswith("data: {")]
    data = b"".join(aws_frame(event) for event in events)
    for size in (1, 33, len(data)):
        reader = BodyReader({"content-type": "application/vnd.amazon.eventstream"}, None)
        for at in range(0, len(data), size):
            reader.feed(data[at : at + size])
        assert reader.end().content() == read(MESSAGES, 50).content()
    broken = struct.pack(">II", 2**31, 4) + data
    reader = BodyReader({"content-type": "application/vnd.amazon.eventstream"}, None)
    reader.feed(broken)
    assert reader.end().content() == {}
    assert base64.b64encode(b"") == b""


def add(answer: Answer, message: Any) -> None:
    """As a parser would have it: nothing is in two places."""
    answer.add(json.loads(json.dumps(message)))


ODD = [None, 1, "text", [], {}, [None, 1, {}], {"index": "x"}, {"type": 5}, [{"index": 0}, {"index": 0, "a": [1]}]]


@pytest.mark.parametrize("odd", ODD, ids=str)
@pytest.mark.parametrize(
    "key", ["choices", "output", "content", "usage", "delta", "response", "message", "item", "content_block", "index"]
)
def test_what_no_vendor_sends_is_no_error(key: str, odd: Any) -> None:
    kinds = (
        "message",
        "content_block_start",
        "content_block_delta",
        "response.output_text.delta",
        "response.output_item.added",
    )
    for kind in kinds:
        for more in ({}, {"index": 0}, {"output_index": 0}):
            answer = Answer()
            for _ in range(2):
                add(answer, {"type": kind, **more, key: odd})
                add(
                    answer,
                    {"choices": [{"index": 0, "delta": {key: odd, "content": "x"}, "message": odd, "text": odd}]},
                )
            json.dumps(answer.content())
            answer.tool_calls()
