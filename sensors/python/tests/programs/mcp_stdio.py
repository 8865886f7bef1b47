"""A client that starts its server. ``bare`` gives the server an environment without the sensor, ``fastmcp`` is its kind."""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_parts import ask

SERVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mcp_parts.py")


async def main() -> None:
    env = {"PYTHONPATH": "", "UCP_POLICY_FILE": ""} if "bare" in sys.argv else None
    parameters = StdioServerParameters(command=sys.executable, args=[SERVER, *sys.argv[1:]], env=env)
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        print(json.dumps(await ask(session)))


asyncio.run(main())
