"""The policy file and its replacements: the newest whole one is in force, whatever happens to the file."""

import json
from pathlib import Path
from typing import Any

from ucp_sensor.places import Places
from ucp_sensor.policy.source import LOOK, PolicySource
from ucp_sensor.sensor import Sensor


def written(path: Path, generation: int, torn: bool = False) -> None:
    """A file whose rules name the generation: atomically, or cut in the middle and in place."""
    rules = {"client": {"tools": {"*": {"deny_list": [f"tool_{generation}"]}}}}
    policy = {"python_sensor": {"remediate": True, "mcp": rules}}
    programs: dict[str, Any] = {"regex": {}, "builtin": {}, "globs": {}}
    file = {"format": 1, "generation": generation, "policy_id": "p", "policy": policy, "programs": programs}
    text = json.dumps(file)
    if torn:
        path.write_text(text[: len(text) // 2])
        return
    fresh = path.with_suffix(".new")
    fresh.write_text(text)
    fresh.replace(path)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def sensor_of(path: Path, clock: Clock) -> "tuple[Sensor, list[str]]":
    sensor = Sensor(Places(str(path), None, "sandbox"))
    bad: list[str] = []
    sensor._source = PolicySource(str(path), bad.append, clock)
    sensor.refresh()
    return sensor, bad


def denied(sensor: Sensor, name: str) -> bool:
    rules = sensor.mcp()
    assert rules is not None
    return not rules.decide_name("client", "tool", "shop", name).allowed


def test_a_thousand_replacements_are_each_in_force_and_torn_ones_change_nothing(tmp_path: Path) -> None:
    path, clock = tmp_path / "policy.json", Clock()
    written(path, 0)
    sensor, bad = sensor_of(path, clock)
    good = 0
    for generation in range(1, 1001):
        torn = generation % 10 == 0
        written(path, generation, torn)
        clock.now += LOOK
        good = good if torn else generation
        assert denied(sensor, f"tool_{good}")
        assert not denied(sensor, f"tool_{good - 1 if good == generation else generation}")
        assert sensor.generation == good
    assert len(bad) == 100


def test_a_file_that_is_gone_or_no_policy_leaves_the_last_one(tmp_path: Path) -> None:
    path, clock = tmp_path / "policy.json", Clock()
    written(path, 1)
    sensor, bad = sensor_of(path, clock)
    path.unlink()
    clock.now += LOOK
    assert denied(sensor, "tool_1")
    for text in ("", "[]", '{"format": 2}', '{"format": 1, "generation": true}', "\x00" * 100):
        path.write_text(text)
        clock.now += LOOK
        assert denied(sensor, "tool_1")
    assert len(bad) == 5
    written(path, 2)
    clock.now += LOOK
    assert denied(sensor, "tool_2")


def test_nobody_looks_more_often_than_it_takes(tmp_path: Path) -> None:
    path, clock = tmp_path / "policy.json", Clock()
    written(path, 1)
    sensor, _bad = sensor_of(path, clock)
    written(path, 2)
    clock.now += LOOK / 2
    assert denied(sensor, "tool_1")
    clock.now += LOOK
    assert denied(sensor, "tool_2")
