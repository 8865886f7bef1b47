"""An agent over HTTP, on a free port, which it prints. Argument: the description in its card."""

import socket
import sys

import uvicorn
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, AgentSkill
from starlette.applications import Starlette

listener = socket.socket()
listener.bind(("127.0.0.1", 0))
URL = f"http://127.0.0.1:{listener.getsockname()[1]}"
SKILL = AgentSkill(id="s", name="forecast", description="Says the weather.", tags=["weather"])
CARD = {
    "name": "Weather",
    "description": sys.argv[1],
    "version": "1.0",
    "default_input_modes": ["text"],
    "default_output_modes": ["text"],
    "skills": [SKILL],
}

try:
    from a2a.helpers import new_text_message
    from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
    from a2a.types import AgentInterface

    MODERN = True
except ImportError:
    from a2a.server.apps import A2AStarletteApplication
    from a2a.utils import new_agent_text_message as new_text_message

    MODERN = False


class Sunny(AgentExecutor):
    async def execute(self, context, event_queue) -> None:
        await event_queue.enqueue_event(new_text_message("sunny", context_id=context.context_id))

    async def cancel(self, context, event_queue) -> None:
        raise NotImplementedError


if MODERN:
    card = AgentCard(
        **CARD,
        capabilities=AgentCapabilities(streaming=True, extended_agent_card=True),
        supported_interfaces=[AgentInterface(url=f"{URL}/rpc", protocol_binding="JSONRPC", protocol_version="1.0")],
    )
    extended = AgentCard()
    extended.CopyFrom(card)
    extended.description = sys.argv[2]
    handler = DefaultRequestHandler(Sunny(), InMemoryTaskStore(), card, extended_agent_card=extended)
    app = Starlette(routes=[*create_agent_card_routes(card), *create_jsonrpc_routes(handler, "/rpc")])
else:
    card = AgentCard(
        **CARD, url=f"{URL}/", capabilities=AgentCapabilities(streaming=True), supports_authenticated_extended_card=True
    )
    extended = card.model_copy(update={"description": sys.argv[2]})
    handler = DefaultRequestHandler(Sunny(), InMemoryTaskStore())
    app = A2AStarletteApplication(card, handler, extended_agent_card=extended).build()

print(URL, flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])
