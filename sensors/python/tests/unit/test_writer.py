"""Events on their way out: at once, in order, bounded, never waited for."""

import json
import os
import socket
import time
from pathlib import Path
from typing import Any

import pytest

from ucp_sensor.events import writer as writing
from ucp_sensor.events.channel import Channel
from ucp_sensor.events.line import Event, Violation
from ucp_sensor.events.queue import EventQueue
from ucp_sensor.events.writer import EventWriter

VIOLATION = Violation("/rule", "enforce", "blocked", "no")


def listening(path: Path, backlog: int = 8) -> socket.socket:
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    server.listen(backlog)
    return server


def lines(connection: socket.socket, count: int) -> "list[dict[str, Any]]":
    connection.settimeout(10)
    with connection.makefile("rb") as file:
        return [json.loads(file.readline()) for _ in range(count)]


def test_a_violation_has_left_the_process_when_emit_returns(tmp_path: Path) -> None:
    server = listening(tmp_path / "s")
    writer = EventWriter(str(tmp_path / "s"), lambda: 7)
    writer.emit("first", "mcp", {"n": 1})
    identity = writer.emit("mcp_violation", "mcp", {}, {"a": 1}, VIOLATION)
    connection, _address = server.accept()
    first, second = lines(connection, 2)
    assert (first["name"], first["severity"], first["generation"]) == ("first", "INFO", 7)
    assert second["id"] == identity
    assert (second["severity"], second["violation"]) == ("ERROR", VIOLATION._asdict())
    assert "lost" not in second


def test_what_follows_within_the_linger_is_written_by_itself(tmp_path: Path) -> None:
    server = listening(tmp_path / "s")
    writer = EventWriter(str(tmp_path / "s"), lambda: 1)
    for n in range(100):
        writer.emit("event", "mcp", {"n": n})
    connection, _address = server.accept()
    assert [line["body"]["n"] for line in lines(connection, 100)] == list(range(100))


def test_one_thread_serves_a_program_that_goes_on_telling_and_ends_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[int] = []
    start = writing._start_thread
    monkeypatch.setattr(writing, "_start_thread", lambda *args: started.append(start(*args)))
    server = listening(tmp_path / "s")
    writer = EventWriter(str(tmp_path / "s"), lambda: 1)
    writer.emit("event", "mcp", {"n": 0})
    monkeypatch.setattr(writing, "LINGER", 3600)

    class Waits:
        """In the place of the thread's waits: something is told during each of the first five."""

        count = 0

        def acquire(self, _blocking: bool, _seconds: float) -> None:
            self.count += 1
            if self.count <= 5:
                writer.emit("event", "mcp", {"n": 1 + self.count})

    waits = Waits()
    monkeypatch.setattr(writer, "_wake", waits)
    writer.emit("event", "mcp", {"n": 1})
    connection, _address = server.accept()
    assert [line["body"]["n"] for line in lines(connection, 7)] == list(range(7))
    deadline = time.monotonic() + 10
    while writer._threaded and time.monotonic() < deadline:
        time.sleep(0.01)
    assert (waits.count, len(started), writer._threaded) == (6, 1, False)


def test_events_wait_for_a_control_plane_that_comes_late(tmp_path: Path) -> None:
    writer = EventWriter(str(tmp_path / "s"), lambda: 1)
    writer.emit("early", "mcp", {})
    server = listening(tmp_path / "s")
    server.settimeout(10)
    connection, _address = server.accept()
    assert lines(connection, 1)[0]["name"] == "early"


def test_nothing_waits_for_a_control_plane_that_does_not_accept(tmp_path: Path) -> None:
    server = listening(tmp_path / "s", 0)
    taken = [Channel(str(tmp_path / "s")) for _ in range(4)]
    connected = [channel.connect() for channel in taken]
    assert not all(connected)  # The backlog is full: an error at once, not a wait.
    writer = EventWriter(str(tmp_path / "s"), lambda: 1)
    since = time.monotonic()
    for _ in range(20_000):
        writer.emit("event", "mcp", {"text": "x" * 100})
    writer.close()
    assert time.monotonic() - since < 60  # It comes back at all; bench/py-sensor has the figures.
    server.close()


def event(n: int, violation: "Violation | None" = None, size: int = 10) -> Event:
    return Event(str(n), 0, "e", "mcp", {"n": n, "text": "x" * size}, None, violation, None, "s", 1)


def test_violations_displace_observability_and_the_loss_is_counted() -> None:
    queue = EventQueue(max_events=100, max_bytes=1000)
    for n in range(10):
        queue.put(event(n))
    queue.encode()
    queue.put(event(99, VIOLATION))
    queue.encode()
    block, count = queue.peek(10_000)
    told = [json.loads(line) for line in block.splitlines()]
    assert count == len(told)
    assert told[-1]["body"]["n"] == 99
    queue.drop(count)
    queue.put(event(100))
    queue.encode()
    last = json.loads(queue.peek(10_000)[0])
    assert last["lost"] + sum(line.get("lost", 0) for line in told) + len(told) == 11


def test_a_body_that_is_no_json_leaves_the_event() -> None:
    queue = EventQueue()
    queue.put(event(1)._replace(body={"x": object()}))
    queue.encode()
    assert json.loads(queue.peek(1000)[0])["body"] == {"unprintable": True}


def test_a_forked_child_has_a_connection_and_ids_of_its_own(tmp_path: Path) -> None:
    server = listening(tmp_path / "s")
    writer = EventWriter(str(tmp_path / "s"), lambda: 1)
    mine = writer.emit("parent", "mcp", {})
    pid = os.fork()
    if pid == 0:
        writer.forked()
        writer.emit("child", "mcp", {})
        writer.close()
        os._exit(0)
    os.waitpid(pid, 0)
    seen = [lines(server.accept()[0], 1)[0] for _ in range(2)]
    assert [line["name"] for line in seen] == ["parent", "child"]
    assert seen[0]["id"] == mine != seen[1]["id"]


def tasks() -> "set[str]":
    return set(os.listdir("/proc/self/task"))


def test_no_thread_of_ours_is_there_when_the_program_forks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "PAUSE_BUDGET", 10)
    server = listening(tmp_path / "s", 64)
    writer = EventWriter(str(tmp_path / "s"), lambda: 1)
    others = tasks()
    for n in range(50):
        for m in range(3):
            writer.emit("event", "mcp", {"n": 3 * n + m})
        writer.pause()
        assert tasks() <= others  # Threads of other tests may be ending beside it.
        writer.emit("event", "mcp", {"n": -1})
        assert not writer._threaded
        writer.resume()
    connection, _address = server.accept()
    told = [line["body"]["n"] for line in lines(connection, 200)]
    assert [n for n in told if n >= 0] == list(range(150))


def test_a_fork_does_not_wait_for_a_control_plane_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "PAUSE_BUDGET", 10)
    writer = EventWriter(str(tmp_path / "absent"), lambda: 1)
    others = tasks()
    for n in range(10):
        writer.emit("event", "mcp", {"n": n})
        writer.pause()
        assert tasks() <= others
        writer.resume()
    assert writer._threaded
    writer.pause()
