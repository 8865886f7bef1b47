"""The policy file and its replacements."""

import os
from collections.abc import Callable
from time import monotonic

from .file import PolicyFile, parse_policy_file

#: Seconds between looks at the file: an update is in force well within a second.
LOOK = 0.3


class PolicySource:
    """Looks when it is asked and the last look is old: no thread, no notifications, right after a fork too.

    A torn, bad or missing file changes nothing: the last good policy stays.
    """

    def __init__(self, path: str, on_bad: Callable[[str], object], clock: Callable[[], float] = monotonic) -> None:
        self._path = path
        self._on_bad = on_bad
        self._clock = clock
        self._seen: tuple[int, int, int] | None = None
        self._next_look = 0.0
        self.current: PolicyFile | None = None

    def changed(self) -> bool:
        """True when ``current`` is another policy than at the last call."""
        now = self._clock()
        if now < self._next_look:
            return False
        self._next_look = now + LOOK
        return self._look()

    def _look(self) -> bool:
        try:
            stat = os.stat(self._path)
            mark = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
            if mark == self._seen:
                return False
            with open(self._path, "rb") as file:
                text = file.read()
        except OSError:
            return False
        self._seen = mark
        parsed = parse_policy_file(text)
        if isinstance(parsed, str):
            self._on_bad(parsed)
            return False
        self.current = parsed
        return True
