"""Reads the first piece of a stream, and only then has the vendor send the rest. Argument: address of the vendor."""

import asyncio
import json
import sys
import urllib.request

from anthropic import Anthropic, AsyncAnthropic
from openai import AsyncOpenAI, OpenAI

URL = f"http://{sys.argv[1]}"
ASK = {"model": "held", "messages": [{"role": "user", "content": "hello"}], "stream": True}
SETTINGS = {"api_key": "sk-x", "max_retries": 0, "timeout": 20}


def piece_of(event) -> str:
    if hasattr(event, "choices"):
        return event.choices[0].delta.content or ""
    return event.delta.text if event.type == "content_block_delta" else ""


class Reader:
    """Joins the pieces; has the rest sent once the first is there."""

    def __init__(self) -> None:
        self.text = ""

    def take(self, event) -> None:
        if not self.text and piece_of(event):
            urllib.request.urlopen(f"{URL}/release", b"{}").close()
        self.text += piece_of(event)


def read(stream) -> str:
    reader = Reader()
    for event in stream:
        reader.take(event)
    return reader.text


async def aread(stream) -> str:
    reader = Reader()
    async for event in await stream:
        reader.take(event)
    return reader.text


async def main() -> None:
    openai, anthropic = f"{URL}/v1", URL
    messages = {**ASK, "max_tokens": 10}
    texts = [
        read(OpenAI(base_url=openai, **SETTINGS).chat.completions.create(**ASK)),
        read(Anthropic(base_url=anthropic, **SETTINGS).messages.create(**messages)),
        await aread(AsyncOpenAI(base_url=openai, **SETTINGS).chat.completions.create(**ASK)),
        await aread(AsyncAnthropic(base_url=anthropic, **SETTINGS).messages.create(**messages)),
    ]
    print(json.dumps(texts))


asyncio.run(main())
