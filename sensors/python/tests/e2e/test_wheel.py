"""The wheel: the same bytes every time, and all it takes is to install it."""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ..conftest import CACHE, SENSOR, Host


def build(source: Path, target: Path) -> Path:
    copy = target / "source"
    ignored = shutil.ignore_patterns("__pycache__", "tests", "build", "dist", ".mypy_cache", ".ruff_cache")
    shutil.copytree(source, copy, ignore=ignored)
    python = str(CACHE / "tools" / "bin" / "python")
    command = [python, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(target), str(copy)]
    subprocess.run(command, check=True, capture_output=True)
    return next(target.glob("*.whl"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(SENSOR, tmp_path_factory.mktemp("wheel"))


def test_it_builds_to_the_same_bytes(wheel: Path, tmp_path: Path) -> None:
    again = build(SENSOR, tmp_path)
    assert hashlib.sha256(wheel.read_bytes()).digest() == hashlib.sha256(again.read_bytes()).digest()


def test_an_environment_that_has_it_has_the_sensor(host: Host, wheel: Path, tmp_path: Path) -> None:
    host.policy(python_sensor={})
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    uv = [str(CACHE / "tools" / "bin" / "uv"), "pip", "install", "--quiet", "--python", str(venv / "bin" / "python")]
    subprocess.run([*uv, "--no-deps", "--offline", str(wheel)], check=True)
    env = host.env(PYTHONPATH="")
    for launcher in ([], ["-m", "ucp_sensor"]):
        command = [str(venv / "bin" / "python"), *launcher, "-c", "import sys; print(sys.argv)", "a"]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, "['-c', 'a']\n"), done.stderr
    # By the .pth file once, and through the launcher in both interpreters, once in each.
    assert len(host.plane.events("sensor_started")) == 3
