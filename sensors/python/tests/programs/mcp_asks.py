"""Servers whose tool asks the client for a model's answer and for input, in the manner of each era, and sends it
notifications; one conversation with a server of each name.

Arguments: ``memory ERA NAME…``, or ``http ERA NAME=URL…``, ERA being ``only`` (mcp 1.x), ``legacy`` or ``auto``. ``serve
NAME…`` serves over Streamable HTTP on free ports, which it prints.
"""

import asyncio
import json
import socket
import sys
from typing import Any

from mcp_parts import MODERN, Server

SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}}

if MODERN:
    import mcp_types as types
    from mcp.server.mcpserver import Context
else:
    from mcp import types
    from mcp.server.fastmcp import Context


def make_server(name: str, era: str) -> Any:
    server = Server(name)

    async def tell(ctx: Any) -> None:
        await ctx.info("a note")
        await ctx.report_progress(0.5, 1.0, "half way")

    async def ask(ctx: Context) -> str:  # type: ignore[type-arg]
        """Asks in requests of its own."""
        content = types.TextContent(type="text", text="hi")
        message = types.SamplingMessage(role="user", content=content)
        said = await _answer(ctx.session.create_message([message], max_tokens=9), lambda r: r.content.text)
        named = await _answer(
            ctx.session.elicit("who?", SCHEMA), lambda r: f"{r.action} {(r.content or {}).get('name')}"
        )
        await tell(ctx)
        return f"{said}, {named}"

    async def ask_inside(ctx: Context) -> Any:  # type: ignore[type-arg]
        """Asks in its result, as servers do since 2026-07-28."""
        await tell(ctx)
        answer = (ctx.input_responses or {}).get("who")
        if answer is not None:
            return f"{answer.action} {(answer.content or {}).get('name')}"
        params = types.ElicitRequestFormParams(message="who?", requested_schema=SCHEMA)
        return types.InputRequiredResult(input_requests={"who": types.ElicitRequest(params=params)})

    server.add_tool(ask_inside if era == "auto" else ask, name="ask", structured_output=False)
    return server


async def _answer(asked: Any, read: Any) -> str:
    try:
        return str(read(await asked))
    except Exception as error:
        detail = getattr(error, "error", None)
        if detail is None:
            raise
        return f"refused {detail.code}"


class Heard:
    """What reaches the client's program."""

    def __init__(self) -> None:
        self.notices: list[str] = []

    async def sample(self, _context: Any, _params: Any) -> Any:
        content = types.TextContent(type="text", text="sampled")
        return types.CreateMessageResult(role="assistant", content=content, model="m")

    async def elicit(self, _context: Any, _params: Any) -> Any:
        return types.ElicitResult(action="accept", content={"name": "me"})

    async def log(self, params: Any) -> None:
        self.notices.append(f"log {params.data}")

    async def progress(self, progress: float, _total: Any, message: Any) -> None:
        self.notices.append(f"progress {progress} {message}")

    def callbacks(self) -> "dict[str, Any]":
        return {
            "sampling_callback": self.sample,
            "elicitation_callback": self.elicit,
            "logging_callback": self.log,
        }

    async def call(self, client: Any) -> "dict[str, Any]":
        called = client.call_tool("ask", {}, progress_callback=self.progress)
        said = await _answer(called, lambda r: r.content[0].text)
        # A second round trip: what was sent before has arrived by then.
        tools = await _answer(client.list_tools(), lambda r: [tool.name for tool in r.tools])
        return {"said": said, "notices": self.notices, "tools": tools}


async def converse(to: Any, era: str) -> "dict[str, Any]":
    heard = Heard()
    if MODERN:
        from mcp import Client

        async with Client(to, mode=era, log_level="info", **heard.callbacks()) as client:
            return await heard.call(client)
    if isinstance(to, str):
        from mcp import ClientSession
        from mcp.client.streamable_http import streamablehttp_client

        async with (
            streamablehttp_client(to) as streams,
            ClientSession(streams[0], streams[1], **heard.callbacks()) as session,
        ):
            await session.initialize()
            return await heard.call(session)
    from mcp.shared.memory import create_connected_server_and_client_session

    async with create_connected_server_and_client_session(to._mcp_server, **heard.callbacks()) as session:
        return await heard.call(session)


async def serve(era: str, names: "list[str]") -> None:
    import uvicorn

    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in names]
    print(json.dumps([one.getsockname()[1] for one in listeners]), flush=True)
    apps = [make_server(name, era).streamable_http_app() for name in names]
    servers = [uvicorn.Server(uvicorn.Config(app, log_level="error")) for app in apps]
    await asyncio.gather(*(one.serve(sockets=[at]) for one, at in zip(servers, listeners, strict=True)))


async def main() -> None:
    where, era, *names = sys.argv[1:]
    if where == "serve":
        return await serve(era, names)
    told = {}
    for name in names:
        name, _, url = name.partition("=")
        told[name] = await converse(url or make_server(name, era), era)
    print(json.dumps(told))


if __name__ == "__main__":
    asyncio.run(main())
