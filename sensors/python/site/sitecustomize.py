"""Starts the sensor, then hands over to the ``sitecustomize`` that would have run without us."""

import importlib.machinery
import importlib.util
import os
import sys


def _start_sensor(here: str) -> None:
    """Imports the package from beside this directory, or around it, without putting anything on ``sys.path``."""
    parent = os.path.dirname(here)
    for package in (os.path.join(here, "ucp_sensor"), os.path.join(parent, "ucp_sensor"), parent):
        init = os.path.join(package, "__init__.py")
        if os.path.basename(package) == "ucp_sensor" and os.path.exists(init):
            break
    else:
        return
    if "ucp_sensor" not in sys.modules:
        spec = importlib.util.spec_from_file_location("ucp_sensor", init, submodule_search_locations=[package])
        if spec is None or spec.loader is None:
            return
        module = importlib.util.module_from_spec(spec)
        sys.modules["ucp_sensor"] = module
        spec.loader.exec_module(module)
    from ucp_sensor.boot import start

    start()


def _next(here: str) -> None:
    """Runs the next ``sitecustomize`` in our place: the program sees that one. Its exception is ``site``'s to tell."""
    path = [entry for entry in sys.path if os.path.abspath(entry) != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", path)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


_here = os.path.dirname(os.path.abspath(__file__))
try:
    _start_sensor(_here)
except Exception as _error:
    if os.environ.get("UCP_REQUIRE") == "1":
        sys.stderr.write(f"ucp: UCP_REQUIRE=1, but the sensor failed to load ({_error!r}); program not started.\n")
        os._exit(125)
    sys.stderr.write(f"ucp: the sensor failed to load ({_error!r}); the program runs without it.\n")
_next(_here)
