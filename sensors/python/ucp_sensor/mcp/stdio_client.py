"""Clients that start their server as a process, both SDK lines: policy on what is started, and the sensor inside it.

The SDKs give a server HOME, LOGNAME, PATH, SHELL, TERM and USER only: without this the sensor would end here.
Can't see: a PYTHONPATH that the program itself sets for the server replaces ours.
"""

from types import ModuleType
from typing import Any

from ..inherited import inherited
from ..load.wrap import AnyFunction, wrap
from ..sensor import Sensor
from .connect import judge_connection
from .medium import Tagged


def install(sensor: Sensor, module: ModuleType) -> None:
    wrap(module, "get_default_environment", lambda original: _with_sensor(sensor, original))
    wrap(module, "_create_platform_compatible_process", lambda original: _judged(sensor, original))
    wrap(module, "stdio_client", lambda original: lambda *args, **kwargs: Tagged(original(*args, **kwargs), "stdio"))


def _with_sensor(sensor: Sensor, original: AnyFunction) -> AnyFunction:
    def get_default_environment() -> Any:
        environment = original()
        try:
            return {**environment, **inherited(sensor.places)}
        except Exception as error:
            sensor.report("mcp stdio", error)
            return environment

    return get_default_environment


def _judged(sensor: Sensor, original: AnyFunction) -> AnyFunction:
    async def _create_platform_compatible_process(command: str, args: "list[str]", *more: Any, **kwargs: Any) -> Any:
        judge_connection(
            sensor, str(command), "stdio", lambda rules: rules.servers.decide_stdio(str(command), list(args))
        )
        return await original(command, args, *more, **kwargs)

    return _create_platform_compatible_process
