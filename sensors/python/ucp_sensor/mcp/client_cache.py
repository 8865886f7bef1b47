"""The response cache of ``mcp`` 2.x clients: what it serves makes no request, so policy is asked here too.

After a policy change a cached list is filtered, and a cached read of what is denied becomes a miss: the request that
follows is refused in client2.py.
"""

from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from ..load.wrap import AnyFunction, wrap
from ..policy.finding import Target
from ..policy.mcp import McpRules
from ..sensor import Sensor
from .conversation import LAST, Conversation
from .listing import judge_list
from .methods import LIST_METHODS
from .typed import hide, wire

#: Whose answers a cache holds. A client writes what its session has just fetched, in the same task.
_OWNERS: "WeakKeyDictionary[Any, Conversation]" = WeakKeyDictionary()


def install(sensor: Sensor, module: ModuleType) -> None:
    def make(original: AnyFunction) -> AnyFunction:
        async def read(self: Any, method: str, params_key: str) -> Any:
            hit = await original(self, method, params_key)
            if hit is None:
                return None
            try:
                return _served(sensor, self, method, params_key, hit)
            except Exception as error:
                sensor.report("mcp cache", error)
                return None

        return read

    def make_write(original: AnyFunction) -> AnyFunction:
        async def write(self: Any, *args: Any, **kwargs: Any) -> Any:
            _own(sensor, self)
            return await original(self, *args, **kwargs)

        return write

    cache = module.__dict__["ClientResponseCache"]
    wrap(cache, "read", make)
    wrap(cache, "write", make_write)


def _own(sensor: Sensor, cache: Any) -> None:
    try:
        conversation = LAST.get()
        if conversation is not None:
            _OWNERS[cache] = conversation
    except Exception as error:
        sensor.report("mcp cache", error)


def _served(sensor: Sensor, cache: Any, method: str, params_key: str, hit: Any) -> Any:
    rules = sensor.mcp()
    if rules is None or not rules.watches("client"):
        return hit
    conversation = _OWNERS.get(cache) or Conversation(sensor)
    if _refuses(rules, Target("client", "method", conversation.server, method)):
        return None
    if method in LIST_METHODS:
        listing = judge_list(conversation, rules, "client", wire(hit), conversation.pins)
        hide(hit, listing)  # A private copy of the entry.
        return hit
    if method == "resources/read":
        target = Target("client", "resource", conversation.server, params_key)
        return None if _refuses(rules, target) else hit
    return hit


def _refuses(rules: McpRules, target: Target) -> bool:
    """Whether a request might be refused: then it is made, and judged in client2.py."""
    finding = rules.entry(target)
    return (finding is not None and finding.blocks) or rules.scans(target, "responses")
