"""Calls a tool while its policy is replaced a thousand times, every tenth time by half a file. Arguments: the policy file
in force, one that allows the tool, one that denies it. Says ``half`` when half of the calls are made, and goes on at a line.
"""

import asyncio
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

from mcp_parts import _text, _try, make_server

POLICY, ALLOWS, DENIES = map(Path, sys.argv[1:])
CALLS = 300


def replace(content: bytes, torn: bool) -> None:
    fresh = POLICY.with_suffix(".next")
    fresh.write_bytes(content[: len(content) // 2] if torn else content)
    os.replace(fresh, POLICY)


def change() -> None:
    contents = ALLOWS.read_bytes(), DENIES.read_bytes()
    for count in range(1000):
        replace(contents[count % 2], count % 10 == 9)
        time.sleep(0.001)
    replace(contents[1], False)


async def calls(session: Any) -> "dict[str, Any]":
    told: dict[str, int] = {}
    changing = threading.Thread(target=change)
    changing.start()
    for count in range(CALLS):
        answer = await _try(session.call_tool("add", {"a": 1, "b": 2}), _text)
        key = answer if isinstance(answer, str) else f"{answer['code']} {answer['data']['rule']}"
        told[key] = told.get(key, 0) + 1
        if count == CALLS // 2:
            print("half", flush=True)
            sys.stdin.readline()
    changing.join()
    await asyncio.sleep(0.4)  # The sensor looks at its policy every 0.3 s at most.
    last = await _try(session.call_tool("add", {"a": 1, "b": 2}), _text)
    return {"told": told, "last": last}


async def main() -> None:
    from mcp.shared.memory import create_connected_server_and_client_session

    async with create_connected_server_and_client_session(make_server()._mcp_server) as session:
        print(json.dumps(await calls(session)))


asyncio.run(main())
