"""Cards that an agent serves over HTTP: refused ones are answered with 403 (a2a-sdk 0.3)."""

import json
from types import ModuleType
from typing import Any

from ..load.wrap import AnyFunction, owned, wrap
from ..sensor import Sensor
from .desk import desk_of


def install(sensor: Sensor, module: ModuleType) -> None:
    def make(original: AnyFunction) -> AnyFunction:
        async def handle(self: Any, *args: Any, **kwargs: Any) -> Any:
            response = await original(self, *args, **kwargs)
            card = json.loads(response.body) if getattr(response, "status_code", 0) == 200 else None
            finding = desk_of(sensor).judge(card, "server", "well-known URL")
            if finding is None:
                return response
            return type(response)({"error": finding.message}, status_code=403)

        return handle

    app = module.__dict__["JSONRPCApplication"]
    for name in ("_handle_get_agent_card", "_handle_get_authenticated_extended_agent_card"):
        if owned(app, name):
            wrap(app, name, make)
