"""Imports the library, takes aliases, subclasses, and only then starts the sensor."""

import asyncio
import json
import os
import sys

from mcp import ClientSession
from mcp_parts import MODERN, ask, make_server


class Own(ClientSession):
    pass


server = make_server()
sys.path.insert(0, os.environ["SENSOR"])
import ucp_sensor.boot  # noqa: E402

ucp_sensor.boot.start()


async def main() -> None:
    if MODERN:
        from mcp import Client

        async with Client(server) as client:
            print(json.dumps(await ask(client)))
    else:
        from mcp.shared.memory import create_client_server_memory_streams

        async with create_client_server_memory_streams() as (ours, theirs), asyncio.TaskGroup() as tasks:
            low = server._mcp_server
            running = tasks.create_task(low.run(*theirs, low.create_initialization_options()))
            async with Own(*ours) as session:
                await session.initialize()
                print(json.dumps(await ask(session)))
            running.cancel()


asyncio.run(main())
