"""A client of the agent at argv[1]: asks by URL, then with a card that it made itself, then for the extended card."""

import asyncio
import json
import sys
import uuid

from a2a.client.client_factory import ClientFactory
from a2a.types import Message

try:
    from a2a.client import create_client
    from a2a.helpers import get_stream_response_text, new_text_message
    from a2a.types import GetExtendedAgentCardRequest, Role, SendMessageRequest

    MODERN = True
except ImportError:
    from a2a.types import Role, TextPart

    MODERN = False


async def connect(agent):
    return await (create_client(agent) if MODERN else ClientFactory.connect(agent))


async def send(client) -> str:
    if MODERN:
        request = SendMessageRequest(message=new_text_message("hi", role=Role.ROLE_USER))
        return "".join([get_stream_response_text(event) async for event in client.send_message(request)])
    message = Message(role=Role.user, message_id=uuid.uuid4().hex, parts=[TextPart(text="hi")])
    return "".join([event.parts[0].root.text async for event in client.send_message(message)])


async def extended(client) -> str:
    card = await (client.get_extended_agent_card(GetExtendedAgentCardRequest()) if MODERN else client.get_card())
    return card.description


async def attempt(call):
    try:
        return await call
    except Exception as error:
        kinds = [kind.__name__ for kind in type(error).__mro__]
        return {"kinds": kinds, "status": getattr(error, "status_code", None), "text": str(error)}


async def main() -> None:
    client = await attempt(connect(sys.argv[1]))
    if isinstance(client, dict):
        print(json.dumps({"connect": client}))
        return
    answers = {"send": await send(client), "extended": await attempt(extended(client)), "again": await send(client)}
    print(json.dumps({"connect": "ok", **answers}))


asyncio.run(main())
