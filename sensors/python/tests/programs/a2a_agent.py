"""An agent on free ports; prints where its card is. Arguments: descriptions in its card and in the extended one, the
transport (``jsonrpc``, ``rest``, ``grpc``; ``compat``: JSON-RPC as the 0.3 line speaks it), and ``own`` for a request
handler that isn't the SDK's.
"""

import asyncio
import socket
import sys

import uvicorn
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.request_handlers.request_handler import RequestHandler
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, AgentSkill
from starlette.applications import Starlette

DESCRIPTION, EXTENDED, TRANSPORT, *MORE = sys.argv[1:]
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
URL = f"http://127.0.0.1:{listener.getsockname()[1]}"
SKILL = AgentSkill(id="s", name="forecast", description="Says the weather.", tags=["weather"])
CARD = {
    "name": "Weather",
    "description": DESCRIPTION,
    "version": "1.0",
    "default_input_modes": ["text"],
    "default_output_modes": ["text"],
    "skills": [SKILL],
}

try:
    from a2a.helpers import new_text_message
    from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
    from a2a.types import AgentInterface

    MODERN = True
except ImportError:
    from a2a.server.apps import A2ARESTFastAPIApplication, A2AStarletteApplication
    from a2a.utils import new_agent_text_message as new_text_message

    MODERN = False


class Sunny(AgentExecutor):
    async def execute(self, context, event_queue) -> None:
        await event_queue.enqueue_event(new_text_message("sunny", context_id=context.context_id))

    async def cancel(self, context, event_queue) -> None:
        raise NotImplementedError


def forward(inner):
    """A handler of the program's own: the SDK's does the work behind it."""

    class Own(RequestHandler):
        async def on_message_send_stream(self, params, context=None):
            async for event in inner.on_message_send_stream(params, context):
                yield event

    def passing(name):
        async def method(self, *args):
            return await getattr(inner, name)(*args)

        return method

    for name in RequestHandler.__abstractmethods__ - {"on_message_send_stream"}:
        setattr(Own, name, passing(name))
    Own.__abstractmethods__ = frozenset()
    return Own()


async def serve_grpc(handler) -> int:
    """Starts it and says the port."""
    import grpc
    from a2a.server.request_handlers.grpc_handler import GrpcHandler

    server = grpc.aio.server()
    if MODERN:
        from a2a.types import a2a_pb2_grpc

        a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(handler), server)
    else:
        from a2a.grpc import a2a_pb2_grpc

        a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(card, handler), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    serve_grpc.server = server
    return port


def modern_app(handler):
    routes = {
        "jsonrpc": lambda: create_jsonrpc_routes(handler, "/rpc"),
        "compat": lambda: create_jsonrpc_routes(handler, "/rpc", enable_v0_3_compat=True),
        "rest": lambda: create_rest_routes(handler, path_prefix="/rest"),
        "grpc": list,
    }
    return Starlette(routes=[*create_agent_card_routes(card), *routes[TRANSPORT]()])


def modern_interface(port):
    url, binding = {
        "jsonrpc": (f"{URL}/rpc", "JSONRPC"),
        "compat": (f"{URL}/rpc", "JSONRPC"),
        "rest": (f"{URL}/rest", "HTTP+JSON"),
        "grpc": (f"127.0.0.1:{port}", "GRPC"),
    }[TRANSPORT]
    version = "0.3" if TRANSPORT == "compat" else "1.0"
    return AgentInterface(url=url, protocol_binding=binding, protocol_version=version)


if MODERN:
    capabilities = AgentCapabilities(streaming=True, extended_agent_card=True)
    card = AgentCard(**CARD, capabilities=capabilities)
    extended = AgentCard()
    handler = DefaultRequestHandler(Sunny(), InMemoryTaskStore(), card, extended_agent_card=extended)
else:
    card = AgentCard(
        **CARD, url=f"{URL}/", capabilities=AgentCapabilities(streaming=True), supports_authenticated_extended_card=True
    )
    extended = card.model_copy(update={"description": EXTENDED})
    handler = DefaultRequestHandler(Sunny(), InMemoryTaskStore())
if "own" in MORE:
    handler = forward(handler)


async def main() -> None:
    port = await serve_grpc(handler) if TRANSPORT == "grpc" else 0
    if MODERN:
        card.supported_interfaces.append(modern_interface(port))
        extended.CopyFrom(card)
        extended.description = EXTENDED
        app = modern_app(handler)
    elif TRANSPORT == "rest":
        card.preferred_transport = extended.preferred_transport = "HTTP+JSON"
        card.url = extended.url = URL
        app = A2ARESTFastAPIApplication(card, handler, extended_agent_card=extended).build()
    else:
        if TRANSPORT == "grpc":
            card.preferred_transport = extended.preferred_transport = "GRPC"
            card.url = extended.url = f"127.0.0.1:{port}"
        app = A2AStarletteApplication(card, handler, extended_agent_card=extended).build()
    print(URL, flush=True)
    await uvicorn.Server(uvicorn.Config(app, log_level="error")).serve(sockets=[listener])


asyncio.run(main())
