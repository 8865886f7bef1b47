"""A client of ``mcp`` 2.x that caches: lists, waits for a line, lists again without a request. Argument: URL."""

import asyncio
import json
import sys

from mcp import Client


async def main() -> None:
    async with Client(sys.argv[1]) as client:
        for _ in range(2):
            tools = await client.list_tools()
            print(json.dumps([tool.name for tool in tools.tools]), flush=True)
            await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)


asyncio.run(main())
