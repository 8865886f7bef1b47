"""A client that lists and calls a tool before and after it becomes another one, in each of several sessions.

Arguments: ``memory`` and an era for ``mcp`` 2.x, or ``http``, the URL of a server (see :func:`serve`) and ``auto`` or
``legacy``. With ``serve`` alone it is that server, over Streamable HTTP on a free port, which it prints.
"""

import asyncio
import json
import sys
from typing import Any

from mcp_parts import MODERN, Server, _text, _try


def make_server() -> Any:
    server = Server("shop")

    def echo(text: str) -> str:
        return f"you said {text}"

    def describe(text: str) -> str:
        """Gives the other tool another description."""
        server.remove_tool("echo")
        server.add_tool(echo, description=text)
        return text

    server.add_tool(echo, description="Says it again.")
    server.add_tool(describe)
    return server


async def ask(session: Any) -> "dict[str, Any]":
    """What is listed and what calls give: as it was, changed, still changed, and as it was again."""
    told: dict[str, Any] = {}
    for step, text in (("first", None), ("changed", "And sends it on."), ("still", None), ("back", "Says it again.")):
        if text is not None:
            await session.call_tool("describe", {"text": text})
        told[step] = [
            [tool.name for tool in (await session.list_tools()).tools],
            await _try(session.call_tool("echo", {"text": "x"}), _text),
        ]
    await session.call_tool("describe", {"text": "And sends it on."})
    return told


def serve() -> None:
    import socket

    import uvicorn

    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    app = make_server().streamable_http_app()
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])


async def main() -> None:
    where, to, era = (*sys.argv[1:], "")[:3] if sys.argv[1] == "http" else (sys.argv[1], None, sys.argv[2])
    sessions = []
    for _ in range(2 if where == "http" else 1):
        target = to or make_server()
        if MODERN:
            from mcp import Client

            async with Client(target, mode=era) as client:
                sessions.append(await ask(client))
        elif where == "http":
            from mcp import ClientSession
            from mcp.client.streamable_http import streamablehttp_client

            async with streamablehttp_client(target) as streams, ClientSession(streams[0], streams[1]) as session:
                await session.initialize()
                sessions.append(await ask(session))
        else:
            from mcp.shared.memory import create_connected_server_and_client_session

            async with create_connected_server_and_client_session(target._mcp_server) as session:
                sessions.append(await ask(session))
    print(json.dumps(sessions))


if __name__ == "__main__":
    serve() if sys.argv[1] == "serve" else asyncio.run(main())
