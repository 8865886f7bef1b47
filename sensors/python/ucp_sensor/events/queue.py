"""Events that wait for the socket: bounded, in order, the loss counted."""

from collections import deque

from .line import Event, encode

#: Events that may wait; the program's memory is not ours to fill.
MAX_EVENTS = 4096
#: Bytes of encoded lines that may wait.
MAX_BYTES = 2 * 1024 * 1024


class EventQueue:
    """``put`` is called by any thread at any moment and only appends; the rest by who holds the writer's lock."""

    def __init__(self, max_events: int = MAX_EVENTS, max_bytes: int = MAX_BYTES, pid: "int | None" = None) -> None:
        self._fresh: deque[Event] = deque()
        self._lines: deque[tuple[bytes, bool]] = deque()
        self._bytes = 0
        self._lost = 0
        self._max_events = max_events
        self._max_bytes = max_bytes
        #: Of this process, where the socket does not say who we are.
        self._pid = pid

    @property
    def empty(self) -> bool:
        return not self._fresh and not self._lines

    def put(self, event: Event) -> None:
        """Never blocks. When full, what is no violation is lost; violations have half as much room again."""
        limit = self._max_events if event.violation is None else self._max_events * 3 // 2
        if len(self._fresh) >= limit:
            self._lost += 1
        else:
            self._fresh.append(event)

    def encode(self) -> None:
        """Turns events into lines. When those are too many, observability makes room for violations, oldest first."""
        while self._fresh:
            event = self._fresh.popleft()
            lost, self._lost = self._lost, 0
            line = encode(event, lost, self._pid)
            critical = event.violation is not None
            if self._bytes + len(line) > self._max_bytes and not (critical and self._make_room(len(line))):
                self._lost += lost + 1
                continue
            self._lines.append((line, critical))
            self._bytes += len(line)

    def peek(self, limit: int) -> "tuple[bytes, int]":
        """The oldest lines as one block: at least one, else not more than ``limit`` bytes; and how many they are."""
        block = bytearray()
        count = 0
        for line, _critical in self._lines:
            if count and len(block) + len(line) > limit:
                break
            block += line
            count += 1
        return bytes(block), count

    def drop(self, count: int) -> None:
        """Forgets the oldest lines: they are on their way."""
        for _ in range(count):
            self._bytes -= len(self._lines.popleft()[0])

    def add_lost(self, count: int) -> None:
        self._lost += count

    def _make_room(self, size: int) -> bool:
        kept: deque[tuple[bytes, bool]] = deque()
        for line, critical in self._lines:
            if not critical and self._bytes + size > self._max_bytes:
                self._bytes -= len(line)
                self._lost += 1
            else:
                kept.append((line, critical))
        self._lines = kept
        return self._bytes + size <= self._max_bytes
