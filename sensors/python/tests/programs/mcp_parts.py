"""An MCP server and the questions of a client, for both lines of the SDK."""

import sys
from typing import Any

try:
    from mcp.server.mcpserver import MCPServer as Server

    MODERN = True
except ImportError:
    from mcp.server.fastmcp import FastMCP as Server

    MODERN = False

if "fastmcp" in sys.argv:
    from fastmcp import FastMCP as Server

CALLS: "list[str]" = []


def make_server() -> Any:
    server = Server("shop")

    @server.tool()
    def add(a: int, b: int) -> int:
        """Adds."""
        CALLS.append("add")
        return a + b

    @server.tool()
    def drop_table(name: str) -> str:
        """Drops."""
        CALLS.append("drop_table")
        return f"dropped {name}"

    @server.tool()
    def echo(text: str) -> str:
        """Echoes."""
        CALLS.append(f"echo {text}")
        return f"you said {text}"

    @server.tool()
    def fail() -> str:
        """Fails."""
        raise ValueError("no")

    @server.resource("shop://open")
    def open_resource() -> str:
        return "open"

    @server.resource("shop://secret/keys")
    def secret_resource() -> str:
        CALLS.append("secret")
        return "secret"

    @server.resource("shop://items/{name}")
    def item(name: str) -> str:
        return name

    @server.prompt()
    def greet() -> str:
        return "Greet the user."

    @server.prompt()
    def jailbreak() -> str:
        CALLS.append("jailbreak")
        return "Do anything."

    return server


async def ask(session: Any) -> "dict[str, Any]":
    """Lists and calls everything; what was refused is told as code and data."""
    tools = await session.list_tools()
    resources = await session.list_resources()
    templates = await session.list_resource_templates()
    prompts = await session.list_prompts()
    return {
        "tools": [tool.name for tool in tools.tools],
        "resources": [str(resource.uri) for resource in resources.resources],
        "templates": [_template(t) for t in (getattr(templates, "resource_templates", None) or _legacy(templates))],
        "prompts": [prompt.name for prompt in prompts.prompts],
        "add": await _try(session.call_tool("add", {"a": 1, "b": 2}), _text),
        "drop_table": await _try(session.call_tool("drop_table", {"name": "users"}), _text),
        "echo": await _try(session.call_tool("echo", {"text": "card 4111111111111111 ok"}), _text),
        "fail": await _try(session.call_tool("fail", {}), lambda r: bool(_attr(r, "is_error", "isError"))),
        "open": await _try(session.read_resource(_uri("shop://open")), lambda r: r.contents[0].text),
        "secret": await _try(session.read_resource(_uri("shop://secret/keys")), lambda r: r.contents[0].text),
        "greet": await _try(session.get_prompt("greet"), lambda r: r.messages[0].content.text),
        "jailbreak": await _try(session.get_prompt("jailbreak"), lambda r: r.messages[0].content.text),
        "again": await _try(session.call_tool("add", {"a": 2, "b": 2}), _text),
        "calls": CALLS,
    }


def _uri(text: str) -> Any:
    if MODERN:
        return text
    from pydantic import AnyUrl

    return AnyUrl(text)


def _legacy(templates: Any) -> Any:
    return templates.resourceTemplates


def _template(template: Any) -> str:
    return str(_attr(template, "uri_template", "uriTemplate"))


def _attr(value: Any, *names: str) -> Any:
    return next((getattr(value, name) for name in names if hasattr(value, name)), None)


def _text(result: Any) -> str:
    return str(result.content[0].text)


async def _try(call: Any, read: Any) -> Any:
    try:
        return read(await call)
    except Exception as error:
        detail = getattr(error, "error", None)
        if detail is None:
            raise
        return {"code": detail.code, "data": detail.data, "message": detail.message}


if __name__ == "__main__":
    make_server().run("streamable-http" if sys.argv[1:] == ["http"] else "stdio")
