"""What a program does besides its libraries' calls, through CPython's audit events (``python_sensor.runtime``).

Covers ``subprocess``, ``os.exec*``, ``os.posix_spawn``, ``os.system``, ``os.fork``; ``connect`` on sockets; code from
strings (``exec``, ``eval``) that the program's own files run; native libraries loaded by ``ctypes``; files opened for
writing.
Can't see: what extension modules do without the interpreter, datagrams sent without ``connect``, code from strings that
installed packages and the standard library run (schema and class makers do it all the time). Observes, never blocks.
"""

import os
import sys
from _thread import get_native_id
from collections.abc import Callable
from time import monotonic_ns
from typing import Any

from ..sensor import Sensor
from .cause import CAUSE
from .paths import is_library

#: Arguments of an event: enough to recognise a command, not a copy of a large one.
MAX_ARGS = 64

_WRITES = os.O_WRONLY | os.O_RDWR


class RuntimeEvents:
    """The audit hook: called for every audit event of the process, so what isn't wanted leaves at once."""

    def __init__(self, sensor: Sensor) -> None:
        self._sensor = sensor
        self._own = sensor.places.socket
        self._handlers: dict[str, Callable[[tuple[Any, ...]], None]] = {
            "subprocess.Popen": lambda args: self._spawn("subprocess", args[0], args[1]),
            "os.exec": lambda args: self._exec(args),
            "os.posix_spawn": lambda args: self._spawn("posix_spawn", args[0], args[1]),
            "os.system": lambda args: self._spawn("system", args[0], ()),
            "os.fork": lambda args: self._spawn("fork", sys.executable, ()),
            "os.forkpty": lambda args: self._spawn("fork", sys.executable, ()),
            "socket.connect": lambda args: self._connect(args),
            "exec": lambda args: self._code(args),
            "ctypes.dlopen": lambda args: self._library(args),
            "open": lambda args: self._open(args),
        }

    def start(self) -> None:
        sys.addaudithook(self._hook)

    def _hook(self, event: str, args: "tuple[Any, ...]") -> None:
        handler = self._handlers.get(event)
        if handler is None:
            return
        try:
            handler(args)
        except Exception as error:
            self._sensor.report(f"audit {event}", error)

    def _emit(self, name: str, body: "dict[str, Any]", attributes: "dict[str, Any]") -> None:
        self._sensor.events.emit(name, "runtime", body, {**attributes, **(CAUSE.get() or {})})

    def _spawn(self, by: str, file: Any, args: Any) -> None:
        if not self._sensor.settings().runtime.exec:
            return
        from ..events.redact import redact_arguments, redact_secrets

        given = [args] if isinstance(args, (str, bytes, os.PathLike)) else list(args or ())[:MAX_ARGS]
        texts = redact_arguments([_text(arg) for arg in given])
        path = _text(file) if file is not None else (texts[0] if texts else "")
        path = redact_secrets(path)
        # Which thread is about to, and when: by that the kernel's events of the child find the request.
        who = {"pid": os.getpid(), "tid": get_native_id(), "clock_ns": monotonic_ns()}
        self._emit(
            "process_spawn", {"by": by, "file": path, "args": texts[1:], **who}, {"process.executable.path": path}
        )
        self._sensor.events.flush()  # Before the child is: what comes later is not known to belong together.

    def _exec(self, args: "tuple[Any, ...]") -> None:
        self._spawn("exec", args[0], args[1])
        self._sensor.events.flush()  # This program is over; the next one knows nothing of us.

    def _connect(self, args: "tuple[Any, ...]") -> None:
        sock, address = args
        if not self._sensor.settings().runtime.network or address == self._own:
            return
        if isinstance(address, tuple):
            transport = "udp" if getattr(sock, "type", 1) == 2 else "tcp"
            attributes = {"server.address": _text(address[0]), "server.port": address[1]}
        else:
            transport, attributes = "unix", {"server.address": _text(address)}
        self._emit("network_connect", {}, {"network.transport": transport, **attributes})

    def _code(self, args: "tuple[Any, ...]") -> None:
        name = getattr(args[0], "co_filename", "")
        if not name.startswith("<") or name.startswith("<frozen ") or not self._sensor.settings().runtime.code:
            return
        caller = _caller()
        if caller is not None:
            self._emit("code_from_string", {"by": "exec", "file": caller}, {})

    def _library(self, args: "tuple[Any, ...]") -> None:
        if args[0] is not None and self._sensor.settings().runtime.code:
            self._emit("native_library", {"file": _text(args[0])}, {})

    def _open(self, args: "tuple[Any, ...]") -> None:
        path, _mode, flags = args
        if not isinstance(flags, int) or not flags & _WRITES or isinstance(path, int):
            return
        if self._sensor.settings().runtime.fs:
            from ..events.redact import redact_name

            self._emit("file_write", {"by": "open"}, {"file.path": redact_name(_text(path))})


def _text(value: Any) -> str:
    text = os.fsdecode(value) if isinstance(value, (str, bytes, os.PathLike)) else str(value)
    return text[:4096]


def _caller() -> "str | None":
    """The program's own file that executes a string; ``None`` where a library does."""
    frame: Any = sys._getframe(3)  # The hook, its handler and its method are the nearest.
    own = __name__.partition(".")[0]
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == own:
        frame = frame.f_back
    name = "" if frame is None else frame.f_code.co_filename
    return None if not name or name.startswith("<frozen ") or is_library(name) else name
