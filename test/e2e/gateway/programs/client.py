"""Lists and calls tools of an MCP server over HTTP with the official SDK; prints what came of it as JSON."""

import asyncio
import json
import sys

from mcp import ClientSession

try:  # 1.x
    from mcp.client.streamable_http import streamablehttp_client as connect
    from mcp.shared.exceptions import McpError as Refused
except ImportError:  # 2.x
    from mcp.client.streamable_http import streamable_http_client as connect
    from mcp.shared.exceptions import MCPError as Refused
from mcp.client.sse import sse_client


async def verdict(session, name):
    try:
        await session.call_tool(name, {"message": "hello"})
        return "ok"
    except Refused as refused:
        return [refused.error.code, refused.error.data["rule"]]


async def main(url):
    opened = sse_client(url) if url.endswith("/sse") else connect(url)
    async with opened as streams, ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        tools = [tool.name for tool in (await session.list_tools()).tools]
        calls = [await verdict(session, name) for name in ("echo", "get-env", "echo")]
        print(json.dumps({"tools": tools, "calls": calls}))


asyncio.run(main(sys.argv[1]))
