"""Client and server in one process. Arguments: an era for ``mcp`` 2.x (``auto``, ``legacy``)."""

import asyncio
import json
import sys

from mcp_parts import MODERN, ask, make_server


async def main() -> None:
    server = make_server()
    if MODERN:
        from mcp import Client

        async with Client(server, mode=sys.argv[1]) as client:
            print(json.dumps(await ask(client)))
    else:
        from mcp.shared.memory import create_connected_server_and_client_session

        async with create_connected_server_and_client_session(server._mcp_server) as session:
            print(json.dumps(await ask(session)))


asyncio.run(main())
