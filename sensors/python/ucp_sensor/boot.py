"""Starts the sensor in this process, once."""

import os
import sys

from .places import REQUIRE, find_places

#: Exit code of a program that must not run without policy (``UCP_REQUIRE=1``).
REFUSED = 125

_started = False


def start() -> None:
    """Never raises. Does nothing where there is no policy, unless ``UCP_REQUIRE=1``: then the program ends with 125."""
    global _started
    if _started:
        return
    _started = True
    required = os.environ.get(REQUIRE) == "1"
    reason = "the sensor failed to start"
    try:
        reason = _start(required)
    except Exception as error:
        reason = f"the sensor failed to start ({type(error).__name__}: {error})"
        if not required:
            _complain(reason)
    if reason and required:
        _refuse(reason)


def _start(required: bool) -> str:
    """Why there is no sensor now; empty if there is one."""
    places = find_places(os.environ)
    if places is None:
        return "there is neither UCP_POLICY_FILE nor a control plane on this host"
    from .hooks import install_hooks
    from .load.watch import Watcher
    from .process import attend
    from .runtime.audit import RuntimeEvents
    from .sensor import Sensor

    sensor = Sensor(places)
    if required and not sensor.loaded:
        return f"{places.policy_file} holds no policy that can be read"
    watcher = Watcher(sensor.report)
    attend(sensor, watcher)
    install_hooks(sensor, watcher)
    watcher.start()
    RuntimeEvents(sensor).start()
    _announce(sensor)
    return ""


def _announce(sensor: object) -> None:
    from .sensor import Sensor

    assert isinstance(sensor, Sensor)
    sensor.events.emit(
        "sensor_started",
        "runtime",
        {
            "mode": sensor.places.mode,
            "runtime": sys.implementation.name,
            "version": "{}.{}.{}".format(*sys.version_info[:3]),
            "pid": os.getpid(),
            "program": program_of(sys.orig_argv),
            "frozen": bool(getattr(sys, "frozen", False)),
        },
    )


def program_of(argv: "list[str]") -> str:
    """What an interpreter's command line runs; ``sys.argv`` is not there yet when ``site`` runs."""
    index = 1
    while index < len(argv):
        arg = argv[index]
        if arg == "-m" and index + 1 < len(argv):
            return f"-m {argv[index + 1]}"
        if arg == "-c" or not arg.startswith("-"):
            return arg
        index += 2 if arg in ("-W", "-X", "--check-hash-based-pycs") else 1
    return ""


def _complain(reason: str) -> None:
    try:
        sys.stderr.write(f"ucp: {reason}; the program runs without it.\n")
    except Exception:
        pass


def _refuse(reason: str) -> None:
    try:
        sys.stderr.write(f"ucp: UCP_REQUIRE=1, but {reason}; the program was not started.\n")
        sys.stderr.flush()
    finally:
        os._exit(REFUSED)
