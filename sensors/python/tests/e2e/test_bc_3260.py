"""BC-3260: with the Python sensor, after repeated Ctrl+C terminations, later executions hung."""

import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ..conftest import FULL, PROGRAMS, Host
from ..control_plane import ControlPlane

#: ``--log-file FILE --log-level INFO`` shows what it says.
LOG = logging.getLogger(__name__)

RUNS = 200 if FULL else 20
#: Seconds after which a run counts as hanging.
HANGS = 20
#: Seconds that a run may take longer than without the sensor.
ALLOWANCE = 0.5


def interrupted(host: Host, sensor: bool, style: str) -> float:
    """Starts the program, presses Ctrl+C when it is ready; seconds from there to its end."""
    process = subprocess.Popen(
        [sys.executable, str(PROGRAMS / "busy.py"), style],
        env=host.env(sensor),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        since = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        process.wait(HANGS)
        took = time.monotonic() - since
        assert process.returncode == -signal.SIGINT
        return took
    finally:
        process.kill()


def median(values: "list[float]") -> float:
    return sorted(values)[len(values) // 2]


@pytest.mark.parametrize("plane", ["alive", "dead", "not accepting"])
def test_bc_3260_no_run_hangs(tmp_path: Path, plane: str) -> None:
    host = Host(tmp_path)
    if plane != "alive":
        host.plane.stop()
        host.plane = ControlPlane(str(tmp_path / "other.sock"), accepting=False)
    if plane == "dead":
        host.plane.stop()
    host.policy(python_sensor={"mcp": {}, "runtime": {}})
    styles = ["plain", "asyncio"]
    runs = [(interrupted(host, False, styles[i % 2]), interrupted(host, True, styles[i % 2])) for i in range(RUNS)]
    without, with_sensor = [run[0] for run in runs], [run[1] for run in runs]
    for name, took in (("without", without), ("with", with_sensor)):
        LOG.info("%s, %d runs %s: median %.3f s, slowest %.3f s", plane, RUNS, name, median(took), max(took))
    assert median(with_sensor) <= median(without) + ALLOWANCE
    if FULL:
        assert max(with_sensor) <= max(without) + ALLOWANCE
    if plane == "alive":
        assert len(host.plane.events("sensor_started")) == RUNS
        lost = sum(event.get("lost", 0) for event in host.plane.events())
        assert len(host.plane.events("code_from_string")) + lost == RUNS * 2000
    host.plane.stop()
