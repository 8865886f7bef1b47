"""Which module of which library each hook waits for. A hook's own code is loaded with that module, not before."""

from collections.abc import Callable
from importlib import import_module
from types import ModuleType

from .load.watch import Watcher
from .sensor import Sensor

#: Watched module → hook modules, each with ``install(sensor, module)``.
HOOKS: "dict[str, tuple[str, ...]]" = {
    "mcp.server.runner": ("mcp.server2",),
    "mcp.server._streamable_http_modern": ("mcp.internal_list", "mcp.modern_notices"),
    "mcp.client.caching": ("mcp.client_cache",),
    "mcp.client.session": ("mcp.client2", "mcp.asked1", "mcp.asked2"),
    "mcp.shared.jsonrpc_dispatcher": ("mcp.dispatcher2",),
    "mcp.shared.direct_dispatcher": ("mcp.direct2",),
    "mcp.server.lowlevel.server": ("mcp.server1",),
    "mcp.shared.session": ("mcp.client1",),
    "mcp.client.stdio": ("mcp.stdio_client",),
    "mcp.client.streamable_http": ("mcp.http_client",),
    "mcp.client.sse": ("mcp.sse_client",),
    "langchain_core.tracers.context": ("frameworks.langchain",),
    "crewai.events.event_bus": ("frameworks.crewai",),
    "openai._base_client": ("llm.requests",),
    "anthropic._base_client": ("llm.requests",),
    "a2a.client.card_resolver": ("a2a.resolver",),
    "a2a.client.base_client": ("a2a.client",),
    "a2a.client.legacy": ("a2a.legacy_client",),
    "a2a.server.request_handlers.request_handler": ("a2a.server",),
    "a2a.server.routes.agent_card_routes": ("a2a.card_routes",),
    "a2a.server.apps.jsonrpc.jsonrpc_app": ("a2a.card_apps",),
    "a2a.server.apps.rest.rest_adapter": ("a2a.card_apps",),
    "a2a.server.request_handlers.jsonrpc_handler": ("a2a.card_apps",),
    "a2a.server.request_handlers.grpc_handler": ("a2a.card_apps",),
}


def install_hooks(sensor: Sensor, watcher: Watcher) -> None:
    """Puts every hook in place; one that fails is told of and leaves the others alone."""
    for name, hooks in HOOKS.items():
        for hook in hooks:
            watcher.watch(name, _installer(sensor, hook))


def _installer(sensor: Sensor, hook: str) -> "Callable[[ModuleType], None]":
    def install(module: ModuleType) -> None:
        import_module(f"{__package__}.{hook}").install(sensor, module)

    return install
