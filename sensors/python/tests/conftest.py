"""What all tests share: a control plane that listens, policies, and programs run by real interpreters."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .control_plane import ControlPlane

ROOT = Path(__file__).resolve().parents[3]
SENSOR = ROOT / "sensors" / "python"
CACHE = ROOT / ".cache" / "python"
PROGRAMS = Path(__file__).parent / "programs"
FULL = os.environ.get("UCP_FULL") == "1"

sys.path.insert(0, str(SENSOR))


def compile_policy(policy: "dict[str, Any]", generation: int = 1) -> str:
    """The policy file that a control plane would write."""
    document = json.dumps({"policy_id": "test", "version": 1, **policy})
    node = os.environ.get("UCP_NODE") or str(ROOT / "node_modules" / ".bin" / "node")
    command = [node, str(ROOT / "scripts" / "sensor-policy.ts"), str(generation)]
    return subprocess.run(command, input=document, capture_output=True, text=True, check=True).stdout


def write_policy(path: Path, policy: "dict[str, Any]", generation: int = 1) -> None:
    """Replaces the file atomically, as the control plane does."""
    fresh = path.with_suffix(".new")
    fresh.write_text(compile_policy(policy, generation))
    fresh.replace(path)


class Host:
    """A policy, a control plane, and programs that run with the sensor (or without, as a control)."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.policy_file = directory / "policy.json"
        self.plane = ControlPlane(str(directory / "s.sock"))

    def policy(self, generation: int = 1, **sections: Any) -> None:
        write_policy(self.policy_file, sections, generation)

    def env(self, sensor: bool = True, **more: str) -> "dict[str, str]":
        env = {name: value for name, value in os.environ.items() if not name.startswith(("UCP_", "PYTHON"))}
        if sensor:
            env["PYTHONPATH"] = str(SENSOR / "site")
            env["UCP_POLICY_FILE"] = str(self.policy_file)
            env["UCP_SENSOR_SOCKET"] = self.plane.path
        return {**env, **more}

    def run(
        self, venv: "str | None", *args: str, sensor: bool = True, timeout: float = 300, **env: str
    ) -> "subprocess.CompletedProcess[str]":
        """Runs an interpreter of ``.cache/python/<venv>`` (this one for ``None``)."""
        python = sys.executable if venv is None else str(CACHE / venv / "bin" / "python")
        return subprocess.run(
            [python, *args], env=self.env(sensor, **env), capture_output=True, text=True, timeout=timeout, check=False
        )

    def report(self, venv: "str | None", program: str, *args: str, **options: Any) -> Any:
        """What a program of tests/programs wrote on its last line, as JSON."""
        done = self.run(venv, str(PROGRAMS / program), *args, **options)
        assert done.returncode == 0, f"{program} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
        return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture
def host(tmp_path: Path) -> "Iterator[Host]":
    made = Host(tmp_path)
    yield made
    made.plane.stop()


@pytest.fixture
def new_host(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Callable[[], Host]]":
    made: list[Host] = []

    def make() -> Host:
        made.append(Host(tmp_path_factory.mktemp("h")))
        return made[-1]

    yield make
    for one in made:
        one.plane.stop()
