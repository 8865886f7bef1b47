"""What ``python -m ucp_sensor …`` becomes: the same interpreter with the same flags and our directory on PYTHONPATH.

Replacing the process instead of running the program inside this one leaves everything as it is without us:
``__main__``, ``sys.argv``, tracebacks, exit status, Ctrl+C, pickling, ``multiprocessing``.
"""

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

#: Interpreter flags with which Python reads no PYTHONPATH or no sitecustomize.
BLINDING = frozenset("IES")

USAGE = """\
usage: python [flags] -m ucp_sensor app.py [args]
       python [flags] -m ucp_sensor -m module [args]
       python [flags] -m ucp_sensor -c code [args]

Starts a Python program with the UCP sensor. The policy is read from UCP_POLICY_FILE, or from the host's control plane.
"""


class Launch(NamedTuple):
    argv: "list[str]"
    env: "dict[str, str]"


def plan(orig_argv: Sequence[str], executable: str, env: Mapping[str, str], site: str) -> "Launch | str":
    """What to execute, or what is wrong with the command line."""
    own = _own_index(orig_argv)
    flags, program = list(orig_argv[1:own]), list(orig_argv[own + 2 :])
    if not program or program[0] in ("-h", "--help"):
        return USAGE
    blind = next((flag for flag in flags if _blinds(flag)), None)
    if blind is not None:
        return (
            f"The interpreter's flag {blind} makes Python ignore what loads the sensor (PYTHONPATH, sitecustomize). "
            "Start the program without it.\n"
        )
    if program[0].startswith("-") and program[0] not in ("-m", "-c", "-"):
        return f"Expected a program, -m MODULE or -c CODE, got {program[0]}. Python's flags go before ours.\n"
    path = env.get("PYTHONPATH")
    entries = [site] + [entry for entry in (path.split(os.pathsep) if path else []) if entry != site]
    return Launch([executable, *flags, *program], {**env, "PYTHONPATH": os.pathsep.join(entries)})


def _own_index(orig_argv: Sequence[str]) -> int:
    """Where ``-m ucp_sensor`` stands (also ``-mucp_sensor`` is taken apart by nobody: then at the end)."""
    for index in range(1, len(orig_argv) - 1):
        if orig_argv[index] == "-m" and orig_argv[index + 1] == "ucp_sensor":
            return index
    return len(orig_argv)


def _blinds(flag: str) -> bool:
    return (
        flag.startswith("-")
        and not flag.startswith("--")
        and flag[1:2] not in ("W", "X")
        and bool(BLINDING & set(flag[1:]))
    )


def site_directory(package: str) -> str:
    """The directory with our ``sitecustomize``: beside the package in the tree, inside it in the wheel."""
    beside = os.path.join(os.path.dirname(package), "site")
    return beside if os.path.exists(os.path.join(beside, "sitecustomize.py")) else os.path.join(package, "_site")
