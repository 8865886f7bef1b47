"""Answers lines on stdin with milliseconds. Argument: ``mcp`` or ``llm ADDRESS``; lines: what to do, how often."""

import asyncio
import json
import sys
from time import perf_counter


async def lines():
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        yield line.split()


def say(value) -> None:
    print(json.dumps(value), flush=True)


async def mcp() -> None:
    from mcp import Client, ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp_parts import make_server

    async def calls(session, count: int) -> None:
        since = perf_counter()
        for _ in range(count):
            await session.call_tool("add", {"a": 1, "b": 2})
        say((perf_counter() - since) * 1000 / count)

    parameters = StdioServerParameters(command=sys.executable, args=[__file__.replace("bench.py", "mcp_parts.py")])
    async with Client(make_server()) as memory, stdio_client(parameters) as streams, ClientSession(*streams) as stdio:
        await stdio.initialize()
        say("ready")
        async for command, count in lines():
            await calls(memory if command == "memory" else stdio, int(count))


async def llm() -> None:
    from openai import AsyncOpenAI

    client = AsyncOpenAI(api_key="sk-x", base_url=f"http://{sys.argv[2]}/v1", max_retries=0)
    ask = [{"role": "user", "content": "hello " * 50}]
    say("ready")
    async for command, count in lines():
        since, first = perf_counter(), []
        for _ in range(int(count)):
            begun = perf_counter()
            if command == "stream":
                async for _chunk in await client.chat.completions.create(model="m", messages=ask, stream=True):
                    first.append((perf_counter() - begun) * 1000)
                    break
            else:
                await client.chat.completions.create(model="m", messages=ask)
        took = (perf_counter() - since) * 1000 / int(count)
        say(sorted(first)[len(first) // 2] if first else took)


asyncio.run(mcp() if sys.argv[1] == "mcp" else llm())
