"""The launcher and sitecustomize: the program is as it is without the sensor."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ..conftest import SENSOR, Host

SHOW = """
import json, os, sys
print(json.dumps({"argv": sys.argv, "name": __name__, "file": globals().get("__file__"), "package": __package__,
                  "path": sys.path[0], "flags": [sys.flags.optimize, sys.flags.safe_path if hasattr(sys.flags, "safe_path") else 0],
                  "sensor": "ucp_sensor.boot" in sys.modules}))
"""


@pytest.fixture
def ready(host: Host) -> Host:
    host.policy(python_sensor={"mcp": {}, "runtime": {}})
    return host


def launched(host: Host, *args: str, flags: "tuple[str, ...]" = (), cwd: "Path | None" = None) -> Any:
    """Without the sensor, and through the launcher."""
    done = []
    for launcher in ([], ["-m", "ucp_sensor"]):
        env = host.env(bool(launcher), PYTHONPATH=str(SENSOR)) if launcher else host.env(False)
        done.append(
            subprocess.run(
                [sys.executable, *flags, *launcher, *args],
                env=env,
                capture_output=True,
                text=True,
                cwd=cwd,
                check=False,
            )
        )
    return done


@pytest.mark.parametrize("flags", [(), ("-u",), ("-O",), ("-X", "utf8")])
@pytest.mark.parametrize("form", ["file", "-m", "-c"])
def test_the_launcher_leaves_the_program_as_it_is(
    ready: Host, tmp_path: Path, form: str, flags: "tuple[str, ...]"
) -> None:
    (tmp_path / "app.py").write_text(SHOW)
    args = {"file": ["app.py"], "-m": ["-m", "app"], "-c": ["-c", SHOW]}[form]
    without, with_sensor = launched(ready, *args, "a", "-x", "--", "b c", flags=flags, cwd=tmp_path)
    plain, watched = json.loads(without.stdout), json.loads(with_sensor.stdout)
    assert watched.pop("sensor") is True
    assert plain.pop("sensor") is False
    assert watched == plain
    assert len(ready.plane.events("sensor_started")) == 1


@pytest.mark.parametrize("code", ["raise SystemExit(7)", "raise ValueError('x')", "import os; os._exit(9)", "1/0"])
def test_exit_codes_and_tracebacks_are_the_programs_own(ready: Host, tmp_path: Path, code: str) -> None:
    (tmp_path / "app.py").write_text(f"def f():\n    {code}\nf()\n")
    without, with_sensor = launched(ready, "app.py", cwd=tmp_path)
    assert (with_sensor.returncode, with_sensor.stdout, with_sensor.stderr) == (
        without.returncode,
        without.stdout,
        without.stderr,
    )


def test_the_next_sitecustomize_runs_and_is_the_one_that_the_program_sees(ready: Host, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("MINE = 1\n")
    path = f"{SENSOR / 'site'}:{tmp_path}"
    done = ready.run(
        None, "-c", "import sitecustomize; print(sitecustomize.MINE, sitecustomize.__file__)", PYTHONPATH=path
    )
    assert done.stdout == f"1 {tmp_path / 'sitecustomize.py'}\n"
    assert len(ready.plane.events("sensor_started")) == 1


def test_a_program_that_needs_policy_does_not_start_without(host: Host, tmp_path: Path) -> None:
    for env in (
        {"UCP_POLICY_FILE": str(tmp_path / "absent")},
        {"UCP_POLICY_FILE": "", "XDG_RUNTIME_DIR": str(tmp_path)},
    ):
        done = host.run(None, "-c", "print('ran')", UCP_REQUIRE="1", **env)
        assert (done.returncode, done.stdout) == (125, "")
        assert done.stderr.startswith("ucp: UCP_REQUIRE=1, but ")
        assert host.run(None, "-c", "print('ran')", **env).stdout == "ran\n"


@pytest.mark.parametrize("flag", ["-I", "-E", "-S", "-Es"])
def test_the_launcher_refuses_flags_that_would_leave_the_sensor_out(ready: Host, flag: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ucp_sensor", "--version"],
        env=ready.env(PYTHONPATH=str(SENSOR)),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    from ucp_sensor.launch import plan

    refused = plan(["python", flag, "-m", "ucp_sensor", "app.py"], "python", {}, "/site")
    assert isinstance(refused, str)
    assert flag in refused


MULTI = """
import multiprocessing, sys
def work(n):
    exec("pass")
    return n * n
if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        print(pool.map(work, range(4)))
        pool.close()
        pool.join()
    p = multiprocessing.get_context(sys.argv[1]).Process(target=work, args=(1,))
    p.start(); p.join()
    sys.exit(p.exitcode)
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_children_of_multiprocessing_tell_their_events(ready: Host, tmp_path: Path, method: str) -> None:
    program = tmp_path / "multi.py"
    program.write_text(MULTI)
    done = ready.run(None, str(program), method)
    assert (done.returncode, done.stdout) == (0, "[0, 1, 4, 9]\n"), done.stderr
    told = ready.plane.events("code_from_string")
    assert len(told) == 5
    ids = [event["id"] for event in ready.plane.events()]
    assert len(ids) == len(set(ids))


FORK = """
import os, threading
def work():
    for _ in range(20): exec("pass")
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for _ in range(5):
    pid = os.fork()
    if pid == 0:
        exec("pass")
        os._exit(0)
    os.waitpid(pid, 0)
for thread in threads: thread.join()
"""


def test_forks_in_the_middle_of_events_neither_hang_nor_lose_any(ready: Host) -> None:
    done = ready.run(None, "-c", FORK, timeout=30)
    assert done.returncode == 0, done.stderr
    assert len(ready.plane.events("process_spawn")) == 5


def test_a_new_policy_is_in_force_without_a_restart(ready: Host, tmp_path: Path) -> None:
    program = tmp_path / "app.py"
    program.write_text("import sys\nfor line in sys.stdin:\n    exec('1')\n    print('done', flush=True)\n")
    process = subprocess.Popen(
        [sys.executable, str(program)], env=ready.env(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    process.stdout.readline()
    first = ready.plane.wait_for("code_from_string")
    assert [event["generation"] for event in first] == [1]
    ready.policy(generation=2, python_sensor={"mcp": {}, "runtime": {}})
    while len(ready.plane.wait_for("code_from_string")) < 50:
        process.stdin.write("\n")
        process.stdin.flush()
        process.stdout.readline()
        if ready.plane.wait_for("code_from_string")[-1]["generation"] == 2:
            break
        time.sleep(0.05)
    process.stdin.close()
    process.wait(10)
    assert ready.plane.events("code_from_string")[-1]["generation"] == 2


LOOPS = {
    "uvloop": "import asyncio, uvloop; asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())",
    "gevent": "import gevent.monkey; gevent.monkey.patch_all()",
}


@pytest.mark.parametrize("style", ["uvloop", "gevent"])
def test_other_event_loops_are_not_broken(ready: Host, style: str) -> None:
    """A client that starts a server over stdio on uvloop; a program of greenlets that tells from each of them."""
    programs = SENSOR / "tests" / "programs"
    runs = {
        "uvloop": f"import runpy, sys; sys.argv = ['mcp_stdio.py']; runpy.run_path('{programs}/mcp_stdio.py', run_name='__main__')",
        "gevent": """
import gevent, json, socket, subprocess, sys, threading
def work(n):
    for _ in range(5):
        exec("pass")
        gevent.sleep(0.001)
    return n
jobs = [gevent.spawn(work, n) for n in range(10)]
gevent.joinall(jobs)
thread = threading.Thread(target=work, args=(1,)); thread.start(); thread.join()
child = subprocess.run([sys.executable, "-c", "print(7)"], capture_output=True, text=True)
print(json.dumps([sum(job.value for job in jobs), child.stdout]))
""",
    }
    code = f"{LOOPS[style]}\n{runs[style]}"
    path = f"{SENSOR / 'site'}:{programs}"
    done = ready.run("mcp1", "-c", code, PYTHONPATH=path, timeout=60)
    plain = ready.run("mcp1", "-c", code, PYTHONPATH=str(programs), sensor=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (plain.returncode, plain.stdout, plain.stderr)
    assert done.returncode == 0
    if style == "uvloop":
        assert len(ready.plane.events("mcp_tool_call")) >= 5
    else:
        assert len(ready.plane.events("code_from_string")) == 55
        assert len(ready.plane.events("sensor_started")) == 2
    assert ready.plane.events("sensor_error") == []


def test_an_archive_runs_and_a_frozen_program_says_so(ready: Host, tmp_path: Path) -> None:
    source = tmp_path / "app"
    source.mkdir()
    (source / "helper.py").write_text("VALUE = 7\n")
    (source / "__main__.py").write_text("import helper, sys\nprint(helper.VALUE, sys.argv[1:])\n")
    archive = tmp_path / "app.pyz"
    subprocess.run([sys.executable, "-m", "zipapp", str(source), "-o", str(archive)], check=True)
    done = ready.run(None, str(archive), "a")
    assert (done.returncode, done.stdout) == (0, "7 ['a']\n"), done.stderr
    assert [event["body"]["frozen"] for event in ready.plane.events("sensor_started")] == [False]
    ready.plane.forget()
    code = f"import sys; sys.frozen = True; sys.path.insert(0, {str(SENSOR)!r}); import ucp_sensor.boot as b; b.start()"
    assert ready.run(None, "-c", code, PYTHONPATH="").returncode == 0
    assert [event["body"]["frozen"] for event in ready.plane.events("sensor_started")] == [True]


AUDITED = """
import ctypes, os, socket, subprocess, sys
subprocess.run(["true", "--token=secretsecret"])
os.system("true")
os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)
listener = socket.socket(); listener.bind(("127.0.0.1", 0)); listener.listen()
socket.create_connection(listener.getsockname()).close()
exec("1"); eval("2")
ctypes.CDLL(None); ctypes.CDLL("libc.so.6")
open(os.devnull, "w").close()
pid = os.fork()
if pid == 0: os.execv("/bin/true", ["true", "last"])
os.waitpid(pid, 0)
"""
ALL = {"process_spawn", "network_connect", "code_from_string", "native_library", "file_write"}


@pytest.mark.parametrize(
    ("switches", "silent"),
    [
        ({"fs": True}, set()),
        ({"exec": False}, {"process_spawn", "file_write"}),
        ({"network": False}, {"network_connect", "file_write"}),
        ({"enable": False}, ALL),
    ],
)
def test_what_a_program_does_is_told_as_switched(
    host: Host, tmp_path: Path, switches: "dict[str, bool]", silent: "set[str]"
) -> None:
    host.policy(python_sensor={"runtime": switches})
    program = tmp_path / "app.py"
    program.write_text(AUDITED)
    done = host.run(None, str(program))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    events = host.plane.events()
    assert {event["name"] for event in events} == (ALL - silent) | {"sensor_started"}
    if not silent:
        spawned = {event["body"]["by"] for event in events if event["name"] == "process_spawn"}
        assert spawned == {"subprocess", "system", "posix_spawn", "fork", "exec"}
        assert [event["body"]["file"] for event in events if event["name"] == "native_library"] == ["libc.so.6"]
        assert [event["attributes"]["file.path"] for event in events if event["name"] == "file_write"] == ["/dev/null"]
    assert "secretsecret" not in json.dumps(events)
