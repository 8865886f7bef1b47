"""Ids of events: unique across processes, made without loading a random number library into the program."""

import itertools
import os
import time
from collections.abc import Callable


def id_maker() -> Callable[[], str]:
    """Makes ids of this process; a forked child needs a maker of its own."""
    prefix = f"{time.time_ns() // 1_000_000:x}-{os.getpid():x}-{os.urandom(6).hex()}"
    count = itertools.count()
    return lambda: f"{prefix}-{next(count):x}"
