"""Numbers events, keeps them in order and hands them to the channel.

Whoever makes a violation writes it, on a socket that never blocks: when the call returns it has left the process, and
SIGTERM can't lose it. So does whoever makes an event after a pause; the ones that follow within 50 ms are written together
by a thread that ends when nothing has come for as long. A thread that ran all the time would make more frequent what CPython
has anyway: a Ctrl+C that comes just before the main thread goes to sleep is seen when it wakes.
"""

import _signal  # type: ignore[import-not-found]  # What `signal` makes of it, with its enumerations, takes 170 µs.
import _thread
from collections.abc import Callable
from os import getpid
from os.path import exists
from time import monotonic, sleep, time_ns
from typing import Any

from .channel import Channel
from .ids import id_maker
from .line import SCOPE, Event, Violation
from .queue import EventQueue

# Taken before a program's gevent can replace them: our thread is a real one.
_start_thread = _thread.start_new_thread
_lock = _thread.allocate_lock
_ident = _thread.get_ident
get_native_id = _thread.get_native_id

#: Seconds that observability may wait for company.
LINGER = 0.05
#: Bytes that go to the socket at once: less than its buffer, so that a cut line is rare.
CHUNK = 64 * 1024
#: Seconds between attempts to connect: first and largest.
RETRY = (0.25, 5.0)
#: Seconds that a full socket is left alone.
FULL = 0.02
#: Seconds that a fork may wait for our thread's end.
PAUSE_BUDGET = 0.1
#: Seconds that a program's end may take longer at most.
EXIT_BUDGET = 0.4


class EventWriter:
    """Never raises and never blocks its caller. Its thread is unknown to ``threading``: nobody joins it."""

    def __init__(self, socket: "str | None", generation: Callable[[], int], claims: bool = False) -> None:
        """``claims``: the socket does not say who we are, so each event says which process we are."""
        self._claims = claims
        self._path = socket
        self._generation = generation
        self._reset()

    def _reset(self) -> None:
        self._queue = EventQueue(pid=getpid() if self._claims else None)
        self._channel = Channel(self._path) if self._path else None
        self._next_id = id_maker()
        self._guard = _lock()
        self._owner = 0
        self._threaded = False
        self._paused = False
        self._thread = 0
        self._wake = _lock()
        self._wake.acquire()
        self._not_before = 0.0
        self._flushed = 0.0
        self._delay = RETRY[0]

    def emit(
        self,
        name: str,
        domain: str,
        body: "dict[str, Any]",
        attributes: "dict[str, Any] | None" = None,
        violation: "Violation | None" = None,
        severity: "str | None" = None,
        scope: str = SCOPE,
    ) -> str:
        """Returns the event's id. ``body`` and ``attributes`` belong to the writer from now on."""
        identity = self._next_id()
        if self._channel is None:
            return identity
        now = time_ns() // 1_000_000
        self._queue.put(
            Event(identity, now, name, domain, body, attributes, violation, severity, scope, self._generation())
        )
        try:
            if violation is not None or monotonic() - self._flushed >= LINGER:
                self.flush()
            elif not self._threaded:
                self._call_thread()
        except Exception:
            self._queue.add_lost(1)  # A bug of ours: counted, and told if anything can be told.
        return identity

    def flush(self) -> None:
        """Writes what waits, as far as the socket takes it now."""
        channel, queue = self._channel, self._queue
        if channel is None or self._owner == _ident():
            return  # This thread is at it already, further up its stack (an audit event of our own).
        while not queue.empty and monotonic() >= self._not_before and self._guard.acquire(False):
            # Who fails to acquire has put its event before: the holder's next look at the queue finds it.
            try:
                self._owner = _ident()
                self._flushed = monotonic()
                self._drain(channel)
            finally:
                self._owner = 0
                self._guard.release()
        if not queue.empty:
            self._call_thread()

    def close(self) -> None:
        """The program ends: at most ``EXIT_BUDGET`` more seconds for what waits."""
        deadline = monotonic() + EXIT_BUDGET
        channel = self._channel
        try:
            while channel is not None:
                self._not_before = 0.0
                self.flush()
                left = deadline - monotonic()
                if left <= 0 or not channel.open:
                    return
                if self._queue.empty:
                    channel.finish(deadline)
                    return
                channel.wait(min(left, 0.05))
        except KeyboardInterrupt:
            pass  # The user is in a hurry; the program is over anyway.

    def forked(self) -> None:
        """In a child: the parent's connection, queue, thread and locks are not ours."""
        channel = self._channel
        self._reset()
        if channel is not None:
            channel.lose()

    def _drain(self, channel: Channel) -> None:
        queue = self._queue
        if not channel.open and not self._reconnect(channel):
            return
        queue.encode()
        while not queue.empty:
            block, count = queue.peek(CHUNK)
            if not channel.write(block):
                self._not_before = monotonic() + FULL
                if not channel.open:
                    queue.add_lost(channel.lose())
                return
            queue.drop(count)
            queue.encode()

    def _reconnect(self, channel: Channel) -> bool:
        self._queue.add_lost(channel.lose())  # The reader has lost its half of a cut line too.
        if channel.connect():
            self._delay = RETRY[0]
            return True
        self._not_before = monotonic() + self._delay
        self._delay = min(self._delay * 2, RETRY[1])
        return False

    def pause(self) -> None:
        """Before a fork, of which Python warns from 3.12 on where there is more than one thread: ours ends first."""
        self._paused = True
        try:
            self.flush()
            if self._thread == 0 and not self._threaded:
                return
            self._wake.release()
            deadline = monotonic() + PAUSE_BUDGET
            # It says that it ends a little before it has ended.
            while monotonic() < deadline and (self._threaded or exists(f"/proc/self/task/{self._thread}")):
                sleep(0.0002)
            self._thread = 0
            self._wake.acquire(False)
        except Exception:
            pass  # A warning more is the worst that comes of it.

    def resume(self) -> None:
        """After the fork, in the parent."""
        self._paused = False
        if not self._queue.empty:
            self._call_thread()

    def _call_thread(self) -> None:
        if self._threaded or self._paused:
            return
        self._threaded = True
        try:
            _start_thread(self._run, (self._queue,))
        except RuntimeError:
            pass  # The interpreter is ending (3.12+) or out of threads: later events and `close` flush.

    def _run(self, queue: EventQueue) -> None:
        """Until nothing has come for a while: to start a thread costs more than to write what a busy program says."""
        self._thread = get_native_id()
        _signal.pthread_sigmask(_signal.SIG_BLOCK, _signal.valid_signals())  # They are the main thread's business.
        while not self._paused:
            self._wake.acquire(True, max(LINGER, self._not_before - monotonic()))
            if queue.empty:
                break
            self.flush()
            channel = self._channel
            if not queue.empty and channel is not None and channel.open and not self._paused:
                channel.wait(1.0)
        self._threaded = False
        if not queue.empty and queue is self._queue:
            self._call_thread()  # An event came after the last look, and its maker saw a thread.
