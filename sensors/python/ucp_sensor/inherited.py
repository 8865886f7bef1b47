"""What a child process needs in its environment to be watched like its parent."""

import os
import re

from .launch import site_directory
from .places import POLICY_FILE, SOCKET, VARIABLES, Places

#: Where sandboxes have the sensors (src/core/plan.ts).
_SENSORS_DIR = "/.ucp/sensors/"
_PRELOAD = re.compile(r"--(?:require|import)[ =](?:file://)?\S*" + re.escape(_SENSORS_DIR) + r"\S+")


def inherited(places: Places) -> "dict[str, str]":
    """Our variables of this process, the places that it found, our directory of its PYTHONPATH, our preload of its NODE_OPTIONS."""
    env = {name: os.environ[name] for name in VARIABLES if name in os.environ}
    env[POLICY_FILE] = places.policy_file
    if places.socket:
        env[SOCKET] = places.socket
    package = os.path.dirname(os.path.abspath(__file__))
    ours = (site_directory(package), os.path.dirname(package))
    entries = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry in ours]
    if entries:
        env["PYTHONPATH"] = os.pathsep.join(entries)
    preloads = _PRELOAD.findall(os.environ.get("NODE_OPTIONS", ""))
    if preloads:
        env["NODE_OPTIONS"] = " ".join(preloads)
    return env
