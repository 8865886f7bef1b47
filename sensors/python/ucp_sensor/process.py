"""What a process's life means to the sensor: its end, its forks, its change into another program."""

import atexit
import os

from .load.watch import Watcher
from .sensor import Sensor


def attend(sensor: Sensor, watcher: Watcher) -> None:
    """Flushes at the end (at most 0.4 s; no signal handler of ours) and starts anew in forked children."""
    atexit.register(sensor.events.close)
    events = sensor.events
    os.register_at_fork(before=events.pause, after_in_parent=events.resume, after_in_child=events.forked)
    watcher.watch("multiprocessing.util", lambda module: _multiprocessing(sensor, module))


def _multiprocessing(sensor: Sensor, util: object) -> None:
    """Its forked children end by ``os._exit``: they run its finalizers, not ``atexit``."""
    from typing import Any

    module: Any = util

    def in_child(_sensor: Sensor) -> None:
        module.Finalize(None, sensor.events.close, exitpriority=-100)

    module.register_after_fork(sensor, in_child)
