"""The way to the control plane: a Unix stream socket that nothing ever waits for.

A blocking ``connect`` hangs as soon as the backlog of a control plane that doesn't accept is full: that is how a
program hangs after two or three runs (BC-3260). So the socket is non-blocking before it connects, and a full backlog is
an error like any other. ``_socket`` is used directly: it costs no import time and gevent does not replace it.
"""

import _socket
import errno
import select
from time import monotonic

_AGAIN = (errno.EAGAIN, errno.EWOULDBLOCK, errno.EINTR)


class Channel:
    """One connection at a time; not safe for threads (the writer's lock is)."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._socket: _socket.socket | None = None
        #: The end of a line of which the kernel took only the beginning.
        self._rest = b""

    @property
    def open(self) -> bool:
        return self._socket is not None

    def connect(self) -> bool:
        """One attempt that returns at once."""
        if self._socket is not None:
            return True
        sock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM | _socket.SOCK_NONBLOCK | _socket.SOCK_CLOEXEC)
        try:
            sock.connect(self._path)
        except OSError:
            sock.close()
            return False
        self._socket = sock
        return True

    def write(self, block: bytes) -> bool:
        """Takes whole lines; false when the socket takes nothing now. A cut line is completed first."""
        if self._rest:
            taken = self._send(self._rest)
            self._rest = self._rest[taken:]
            if self._rest:
                return False
        taken = self._send(block)
        if taken == 0:
            return False
        self._rest = block[taken:]
        return True

    def wait(self, seconds: float) -> None:
        """Until the socket takes something again, at most so long."""
        sock = self._socket
        if sock is None:
            return
        try:
            poll = select.poll()
            poll.register(sock.fileno(), select.POLLOUT)
            poll.poll(max(0, int(seconds * 1000)))
        except (OSError, ValueError):
            pass

    def finish(self, deadline: float) -> None:
        """Completes a cut line, until ``deadline`` (monotonic seconds)."""
        while self._rest and self._socket is not None and monotonic() < deadline:
            self._rest = self._rest[self._send(self._rest) :]
            if self._rest:
                self.wait(deadline - monotonic())

    def lose(self) -> int:
        """Closes; lines that were taken and never left."""
        lost = self._rest.count(b"\n")
        self._rest = b""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        return lost

    def _send(self, data: bytes) -> int:
        sock = self._socket
        if sock is None:
            return 0
        try:
            return sock.send(data, _socket.MSG_NOSIGNAL | _socket.MSG_DONTWAIT)
        except OSError as error:
            if error.errno not in _AGAIN:
                self._socket = None  # `open` tells; what is left of `_rest` is counted by `lose`.
                sock.close()
            return 0
