"""Model vendors as local HTTP servers, in their documented wire formats, event streams included."""

import base64
import json
import struct
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
TOOL = {"id": "call_1", "type": "function", "function": {"name": "add", "arguments": "{}"}}


#: Set by a request for ``/release``: the model ``held`` says no more than the first piece before.
RELEASED = threading.Event()

#: What a model says in pieces: the second list splits a key.
PARTS = [f"part{i} " for i in range(5)]
SPLIT = ["my key is sk-abc", "defghijkl", "mnopqrstuvw, keep it"]


def _chunk(**delta: Any) -> "dict[str, Any]":
    choice = {"index": 0, "delta": delta, "finish_reason": None}
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m-1", "choices": [choice]}


def chat_stream(texts: "list[str]") -> "list[tuple[str | None, Any]]":
    last = _chunk()
    last["choices"][0]["finish_reason"] = "stop"
    parts = [_chunk(role="assistant", content="")] + [_chunk(content=text) for text in texts] + [last]
    return [(None, part) for part in parts] + [(None, "[DONE]")]


def response(text: str, **more: Any) -> "dict[str, Any]":
    content = [{"type": "output_text", "text": text, "annotations": []}]
    item = {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": content}
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "m-1",
        "status": "completed",
        "output": [item],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 5,
            "output_tokens": 2,
            "total_tokens": 7,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
        **more,
    }


def response_stream(texts: "list[str]") -> "list[tuple[str | None, Any]]":
    place = {"item_id": "m1", "output_index": 0, "content_index": 0, "logprobs": []}
    begun = {"type": "message", "id": "m1", "role": "assistant", "status": "in_progress", "content": []}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": response("", output=[], status="in_progress", usage=None)},
        {"type": "response.output_item.added", "output_index": 0, "item": begun},
        *[{"type": "response.output_text.delta", **place, "delta": text} for text in texts],
        {"type": "response.completed", "response": response("".join(texts))},
    ]
    return [(event["type"], {**event, "sequence_number": number}) for number, event in enumerate(events)]


def chat(tools: bool) -> "dict[str, Any]":
    message = {"role": "assistant", "content": "the answer", **({"tool_calls": [TOOL]} if tools else {})}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if tools else "stop"}
    return {"id": "c1", "object": "chat.completion", "created": 1, "model": "m-1", "choices": [choice], "usage": USAGE}


def message(**more: Any) -> "dict[str, Any]":
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m-1",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 5, "output_tokens": 1},
        **more,
    }


def message_stream(texts: "list[str]") -> "list[tuple[str | None, Any]]":
    def text(piece: str) -> "dict[str, Any]":
        return {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}

    events = [
        {"type": "message_start", "message": message()},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *[text(piece) for piece in texts],
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 2},
        },
        {"type": "message_stop"},
    ]
    return [(event["type"], event) for event in events]


def aws_frame(event: "dict[str, Any]") -> bytes:
    """One event as Bedrock frames it: lengths, headers, a payload with base64 in it, checksums."""
    payload = json.dumps({"bytes": base64.b64encode(json.dumps(event).encode()).decode(), "p": "abc"}).encode()
    fields = {":event-type": "chunk", ":content-type": "application/json", ":message-type": "event"}
    head = b"".join(
        struct.pack(">B", len(name)) + name.encode() + struct.pack(">BH", 7, len(value)) + value.encode()
        for name, value in fields.items()
    )
    prelude = struct.pack(">II", 16 + len(head) + len(payload), len(head))
    message = prelude + struct.pack(">I", zlib.crc32(prelude)) + head + payload
    return message + struct.pack(">I", zlib.crc32(message))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 64 * 1024  # Head and body in one segment: apart they wait 40 ms for an acknowledgement.

    def log_message(self, *_args: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        path = self.path.partition("?")[0]
        texts = SPLIT if body.get("model") == "split" else PARTS
        whole, streamed = "Predict" in path or path.endswith("/invoke"), "stream" in path or body.get("stream")
        if path == "/release":
            RELEASED.set()
            self._json({})
        elif body.get("model") == "broken":
            self._json({"error": {"message": "no", "type": "invalid_request_error"}}, 400)
        elif path.endswith("/invoke-with-response-stream"):
            self._stream(message_stream(texts), frames=True)
        elif streamed and path.endswith(("/messages", "streamRawPredict")):
            self._stream(message_stream(texts), held=body.get("model") == "held")
        elif path.endswith("/messages") or whole:
            self._json(message(content=[{"type": "text", "text": "the answer"}], stop_reason="end_turn"))
        elif path.endswith("/responses"):
            self._stream(response_stream(texts)) if streamed else self._json(response("the answer"))
        elif streamed:
            self._stream(chat_stream(texts), held=body.get("model") == "held")
        elif path.endswith("/embeddings"):
            data = [{"object": "embedding", "index": 0, "embedding": [0.5, 0.25]}]
            self._json(
                {"object": "list", "data": data, "model": "m-1", "usage": {"prompt_tokens": 3, "total_tokens": 3}}
            )
        else:
            self._json(chat("tools" in body))

    def _json(self, value: Any, status: int = 200) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, events: "list[tuple[str | None, Any]]", frames: bool = False, held: bool = False) -> None:
        RELEASED.clear()
        self.send_response(200)
        self.send_header("content-type", "application/vnd.amazon.eventstream" if frames else "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for name, value in events:
            data = value if isinstance(value, str) else json.dumps(value)
            line = f"event: {name}\n" if name else ""
            try:
                self.wfile.write(aws_frame(value) if frames else f"{line}data: {data}\n\n".encode())
                self.wfile.flush()
            except OSError:
                return
            if held and "part0" in data:
                RELEASED.wait(60)
            time.sleep(0.005)  # The pace of a model, not a wait for anything.
        self.close_connection = True


class ModelVendor:
    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self.address = f"127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


if __name__ == "__main__":
    vendor = ModelVendor()
    print(vendor.address, flush=True)
    threading.Event().wait()
