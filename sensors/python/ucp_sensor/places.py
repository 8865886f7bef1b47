"""Where a process finds its policy and the control plane."""

import os
from collections.abc import Callable, Mapping
from typing import NamedTuple

POLICY_FILE = "UCP_POLICY_FILE"
SOCKET = "UCP_SENSOR_SOCKET"
REQUIRE = "UCP_REQUIRE"
SANDBOX_ID = "UCP_SANDBOX_ID"

#: Variables that a child process needs to be watched like its parent.
VARIABLES = (POLICY_FILE, SOCKET, REQUIRE, SANDBOX_ID)


class Places(NamedTuple):
    """``mode`` is ``sandbox`` (the socket says who we are) or ``host`` (our identity is our own claim, DESIGN 11)."""

    policy_file: str
    socket: "str | None"
    mode: str


def host_directories(env: Mapping[str, str]) -> list[str]:
    """Directories where a control plane keeps the sensors' files for processes of the host, as clients look for one:
    the one that the environment names, else the service before the user's own.
    """
    named = env.get("UCP_STATE_DIR")
    if named:
        return [f"{named}/host"]
    runtime = env.get("XDG_RUNTIME_DIR")
    state = env.get("XDG_STATE_HOME") or f"{env.get('HOME', '')}/.local/state"
    return ["/run/ucp/host", f"{runtime}/ucp/host" if runtime else f"{state}/ucp/run/host"]


def find_places(env: Mapping[str, str], exists: Callable[[str], bool] = os.path.exists) -> "Places | None":
    """The places that the environment names, else the host's well-known ones; ``None``: there is no policy here."""
    named = env.get(POLICY_FILE)
    socket = env.get(SOCKET)
    if named:
        return Places(named, socket, "sandbox" if env.get(SANDBOX_ID) else "host")
    for directory in host_directories(env):
        policy_file = f"{directory}/policy.json"
        if exists(policy_file):
            return Places(policy_file, socket or f"{directory}/sensor.sock", "host")
    return None
