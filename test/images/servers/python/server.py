"""An MCP server with the official Python SDK, on stdio: the tools echo and get-env."""

import os
import sys

from mcp.server.mcpserver import MCPServer

server = MCPServer("python-server")


@server.tool()
def echo(message: str) -> str:
    """Says what it is told."""
    return message


@server.tool(name="get-env")
def get_env() -> str:
    """Says its environment."""
    print("called get-env", file=sys.stderr)
    return str(dict(os.environ))


server.run()
