"""A control plane as sensors see it: a Unix socket that takes lines."""

import json
import os
import select
import socket
import threading
import time
from typing import Any


class ControlPlane:
    """Keeps what it gets. ``accepting=False``: it listens, its backlog fills, and it never accepts."""

    def __init__(self, path: str, accepting: bool = True) -> None:
        self.path = path
        self._lines: list[dict[str, Any]] = []
        self._arrived = threading.Condition()
        self._connections: list[socket.socket] = []
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._server.bind(path)
        self._server.listen(64 if accepting else 1)
        self._open = 0
        if accepting:
            threading.Thread(target=self._accept, daemon=True).start()

    def events(self, name: "str | None" = None) -> "list[dict[str, Any]]":
        """Everything that programs which have ended sent; waits until their connections are read to the end."""
        with self._arrived:
            assert self._wait_until_read(10), "a connection is still open"
            return [line for line in self._lines if name in (None, line["name"])]

    def _wait_until_read(self, seconds: float) -> bool:
        """Nobody is connected, nor waits in the backlog to be."""
        deadline = time.monotonic() + seconds
        while self._open or (self._server.fileno() >= 0 and select.select([self._server], [], [], 0)[0]):
            if time.monotonic() > deadline:
                return False
            self._arrived.wait(0.02)
        return True

    def wait_for(self, name: str, count: int = 1, seconds: float = 10) -> "list[dict[str, Any]]":
        """The first ``count`` events of that name."""

        def found() -> "list[dict[str, Any]]":
            return [line for line in self._lines if line["name"] == name]

        with self._arrived:
            assert self._arrived.wait_for(lambda: len(found()) >= count, seconds), [x["name"] for x in self._lines]
            return found()

    def forget(self) -> None:
        with self._arrived:
            self._lines.clear()

    def stop(self) -> None:
        self._server.close()
        if os.path.exists(self.path):
            os.unlink(self.path)

    def kill(self) -> None:
        """Ends as a process does that is killed: nobody listens, and every connection is gone."""
        self.stop()
        with self._arrived:
            for connection in self._connections:
                connection.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            try:
                select.select([self._server], [], [])
                with self._arrived:  # Between the backlog and `_open` a connection is nowhere: nobody may look then.
                    connection, _address = self._server.accept()
                    self._open += 1
                    self._connections.append(connection)
            except (OSError, ValueError):
                return
            threading.Thread(target=self._read, args=(connection,), daemon=True).start()

    def _read(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as file:
            try:
                for line in file:
                    with self._arrived:
                        self._lines.append(json.loads(line))
                        self._arrived.notify_all()
            except OSError:
                pass
        with self._arrived:
            self._connections.remove(connection)
            self._open -= 1
            self._arrived.notify_all()
