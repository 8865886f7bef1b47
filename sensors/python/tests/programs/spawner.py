"""A client with its own server, which has a shell run what the tool is told; two calls at once. ``serve``: the server."""

import asyncio
import os
import subprocess
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.server.mcpserver import MCPServer


def serve() -> None:
    server = MCPServer("spawner")

    @server.tool()
    async def run(mark: str) -> str:
        """Runs."""
        script = f"cp /bin/true /tmp/denied-{mark}; /tmp/denied-{mark}; (sleep 0.1; cat /dev/null) & wait; :"
        shell = await asyncio.create_subprocess_exec("/bin/sh", "-c", script, stdin=subprocess.DEVNULL)
        await shell.wait()
        try:
            subprocess.run([f"/tmp/denied-{mark}", "direct"], check=False, stdin=subprocess.DEVNULL)
        except PermissionError:
            pass
        os.system(f"/bin/echo {mark} >&2")
        os.waitpid(os.posix_spawn("/bin/ls", ["ls", f"/tmp/denied-{mark}"], os.environ, file_actions=TO_STDERR), 0)
        child = os.fork()
        if child == 0:
            os.dup2(2, 1)
            os.execv("/bin/uname", ["uname", "-s"])
        os.waitpid(child, 0)
        return mark

    server.run("stdio")


#: Standard output is the protocol's.
TO_STDERR = [(os.POSIX_SPAWN_DUP2, 2, 1)]


async def ask() -> None:
    parameters = StdioServerParameters(command=sys.executable, args=[sys.argv[0], "serve"])
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        await asyncio.gather(*(session.call_tool("run", {"mark": mark}) for mark in ("one", "two")))


if "serve" in sys.argv:
    serve()
else:
    asyncio.run(ask())
