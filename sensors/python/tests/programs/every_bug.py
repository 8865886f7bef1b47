"""Breaks every function of the sensor that a scenario uses, one at a time, and says which of them the program noticed.
Functions whose whole body is a guard (``try`` … ``except Exception``) are left whole: they are what is tested.

Arguments: ``mcp ERA``, ``llm PROVIDER ADDRESS``, ``langgraph`` or ``a2a URL``.
"""

import ast
import asyncio
import contextlib
import inspect
import io
import json
import runpy
import sys
import textwrap
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

#: Not broken: what stands around the program's own call, and hands on what it gives.
AROUND = {"JudgedStream", "Tagged", "Tape", "_Hearing", "run_raw", "_run"}
SCENARIO, *ARGUMENTS = sys.argv[1:]


async def conversations() -> "dict[str, Any]":
    import mcp_asks
    import mcp_parts
    import mcp_tasks

    era = ARGUMENTS[0]
    mcp_parts.CALLS.clear()
    server = mcp_parts.make_server()
    asked = await mcp_asks.converse(mcp_asks.make_server("asks", era), era)
    fetched = await mcp_tasks.converse()
    if mcp_parts.MODERN:
        from mcp import Client

        async with Client(server, mode=era) as client:
            answers = await mcp_parts.ask(client)
    else:
        from mcp.shared.memory import create_connected_server_and_client_session

        async with create_connected_server_and_client_session(server._mcp_server) as session:
            answers = await mcp_parts.ask(session)
    return {"asked": asked, "fetched": fetched, **answers}


def scenario() -> Any:
    """What the program sees, once."""
    if SCENARIO == "mcp":
        return asyncio.run(asyncio.wait_for(conversations(), 60))
    program = {"llm": "llm_calls.py", "langgraph": "graph.py", "a2a": "a2a_asker.py"}[SCENARIO]
    sys.argv = [program, *ARGUMENTS]
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        runpy.run_path(str(Path(__file__).with_name(program)), run_name="__main__")
    return json.loads(said.getvalue())


def modules() -> "list[ModuleType]":
    return [module for name, module in list(sys.modules.items()) if name.startswith("ucp_sensor.")]


def functions() -> "dict[str, tuple[list[tuple[Any, str]], Any]]":
    """Every function and method by name: where it stands (it may have been imported elsewhere), and what it is."""
    found: dict[str, tuple[list[tuple[Any, str]], Any]] = {}
    owners: list[Any] = modules()
    owners += [value for module in modules() for value in vars(module).values() if isinstance(value, type)]
    for owner in owners:
        for name, value in list(vars(owner).items()):
            plain = getattr(value, "fget", None) or getattr(value, "__wrapped__", None) or value
            if isinstance(plain, FunctionType) and plain.__module__.startswith("ucp_sensor."):
                key = f"{plain.__module__.removeprefix('ucp_sensor.')} {plain.__qualname__}"
                places, _ = found.setdefault(key, ([], value))
                if (owner, name) not in places:
                    places.append((owner, name))
    return found


def is_guard(function: FunctionType) -> bool:
    """Whether nothing that the function calls can make it raise."""
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(definition, ast.FunctionDef | ast.AsyncFunctionDef)
    body = [one for one in definition.body if not isinstance(getattr(one, "value", None), ast.Constant)]
    guard = body[0] if len(body) == 1 else None
    return isinstance(guard, ast.Try) and any(
        isinstance(handler.type, ast.Name) and handler.type.id == "Exception" for handler in guard.handlers
    )


def used(run: Any) -> "set[Any]":
    """The code objects that ``run`` runs."""
    codes: set[Any] = set()
    sys.setprofile(lambda frame, event, _arg: codes.add(frame.f_code) if event == "call" else None)
    try:
        run()
    finally:
        sys.setprofile(None)
    return codes


def fail(*_args: Any, **_kwargs: Any) -> Any:
    raise RuntimeError("injected")


def outcome() -> Any:
    try:
        return scenario()
    except BaseException as error:
        return repr(error)


def main() -> None:
    before = outcome()
    codes = used(outcome)
    tried, noticed = [], {}
    for name, (places, value) in sorted(functions().items()):
        plain = getattr(value, "fget", None) or getattr(value, "__wrapped__", None) or value
        around = name.split(" ")[1].split(".")[0] in AROUND
        if plain.__code__ not in codes or around or is_guard(plain):
            continue
        for owner, attribute in places:
            setattr(owner, attribute, property(fail) if isinstance(value, property) else fail)
        tried.append(name)
        after = outcome()
        for owner, attribute in places:
            setattr(owner, attribute, value)
        if after != before:
            noticed[name] = after if isinstance(after, str) else "other answers"
    sys.__stdout__.write(json.dumps({"before": before, "after": outcome(), "tried": tried, "noticed": noticed}) + "\n")


main()
