"""An agent: asks a model, calls the MCP tool that it asks for, and one that nobody asked for.

Arguments: address of the vendor, a directory with the package ``openai``.
"""

import asyncio
import json
import sys

from mcp import Client
from mcp_parts import make_server

ADDRESS, PACKAGES = sys.argv[1:]
sys.path.append(PACKAGES)

from openai import AsyncOpenAI  # noqa: E402

TOOLS = [{"type": "function", "function": {"name": "add", "parameters": {"type": "object", "properties": {}}}}]


async def main() -> None:
    async with (
        Client(make_server(), mode="auto") as client,
        AsyncOpenAI(api_key="sk-x", base_url=f"http://{ADDRESS}/v1", max_retries=0) as model,
    ):
        await client.list_tools()
        ask = [{"role": "user", "content": "add"}]
        answer = await model.chat.completions.create(model="m", messages=ask, tools=TOOLS)
        asked = answer.choices[0].message.tool_calls[0].function.name
        results = [
            await client.call_tool(asked, {"a": 1, "b": 2}),
            await client.call_tool("echo", {"text": "unasked"}),
        ]
        print(json.dumps([result.content[0].text for result in results]))


asyncio.run(main())
