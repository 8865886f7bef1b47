"""A client of a server over HTTP. Arguments: URL, transport (``http``, ``sse``)."""

import asyncio
import json
import sys

from mcp import ClientSession
from mcp_parts import MODERN, ask


async def main() -> None:
    url, transport = sys.argv[1:]
    if transport == "auto":
        from mcp import Client

        async with Client(url) as client:
            print(json.dumps(await ask(client)))
        return
    if transport == "sse":
        from mcp.client.sse import sse_client as connect
    elif MODERN:
        from mcp.client.streamable_http import streamable_http_client as connect
    else:
        from mcp.client.streamable_http import streamablehttp_client as connect
    async with connect(url) as streams, ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        print(json.dumps(await ask(session)))


asyncio.run(main())
