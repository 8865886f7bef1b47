"""A client of the agent at argv[1]: asks by URL, then for the extended card, then again. argv[2]: ``legacy`` uses the 0.3
line's ``A2AClient``, ``made`` a card that the program fetched by itself.
"""

import asyncio
import json
import sys
import uuid

import httpx
from a2a.client.client import ClientConfig
from a2a.client.client_factory import ClientFactory
from a2a.types import AgentCard, Message

URL, *MORE = sys.argv[1:]
TRANSPORTS = ["JSONRPC", "HTTP+JSON", "GRPC"]

try:
    from a2a.client import create_client
    from a2a.helpers import get_stream_response_text, new_text_message
    from a2a.types import GetExtendedAgentCardRequest, Role, SendMessageRequest

    MODERN = True
except ImportError:
    from a2a.types import MessageSendParams, Role, SendMessageRequest, SendStreamingMessageRequest, TextPart

    MODERN = False


def channel(url):
    import grpc

    return grpc.aio.insecure_channel(url)


async def fetched():
    async with httpx.AsyncClient() as http:
        found = (await http.get(f"{URL}/.well-known/agent-card.json")).json()
    if not MODERN:
        return AgentCard.model_validate(found)
    from google.protobuf.json_format import ParseDict

    return ParseDict(found, AgentCard(), ignore_unknown_fields=True)


async def connect():
    agent = await fetched() if "made" in MORE else URL
    if "legacy" in MORE:
        from a2a.client.legacy import A2AClient

        return A2AClient(httpx.AsyncClient(), await fetched())
    config = {"supported_protocol_bindings" if MODERN else "supported_transports": TRANSPORTS}
    config = ClientConfig(**config, grpc_channel_factory=channel)
    return await (create_client(agent, config) if MODERN else ClientFactory.connect(agent, config))


async def send(client) -> str:
    if MODERN:
        request = SendMessageRequest(message=new_text_message("hi", role=Role.ROLE_USER))
        return "".join([get_stream_response_text(event) async for event in client.send_message(request)])
    message = Message(role=Role.user, message_id=uuid.uuid4().hex, parts=[TextPart(text="hi")])
    if "legacy" not in MORE:
        return "".join([event.parts[0].root.text async for event in client.send_message(message)])
    params = MessageSendParams(message=message)
    whole = await client.send_message(SendMessageRequest(id="1", params=params))
    request = SendStreamingMessageRequest(id="2", params=params)
    pieces = [event.root.result.parts[0].root.text async for event in client.send_message_streaming(request)]
    assert pieces == [whole.root.result.parts[0].root.text]
    return pieces[0]


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
    client = await attempt(connect())
    if isinstance(client, dict):
        print(json.dumps({"connect": client}))
        return
    answers = {"send": await send(client), "extended": await attempt(extended(client)), "again": await send(client)}
    print(json.dumps({"connect": "ok", **answers}))


asyncio.run(main())
