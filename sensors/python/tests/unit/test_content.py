"""What of captured content an event carries at most, whatever its form."""

import json
from typing import Any

import pytest

from ucp_sensor.policy.content import CUT, MAX_TEXT, MAX_TOTAL, ContentRules
from ucp_sensor.policy.file import PolicyFile

RULES = ContentRules(PolicyFile(1, "none", {}, {}))


def nested(value: Any, levels: int) -> Any:
    """Lists of lists, a million times the value at three levels."""
    return [nested(value, levels - 1)] * 100 if levels else value


@pytest.mark.parametrize(
    "value",
    [
        "x" * (2 * MAX_TOTAL),
        ["x" * MAX_TEXT] * 100,
        {f"{n} {'x' * 5000}": "y" * 5000 for n in range(100)},
        nested(12345, 3),
        nested("x", 3),
        nested({"a": None}, 3),
    ],
    ids=["text", "texts", "keys", "numbers", "letters", "objects"],
)
def test_an_event_is_bounded(value: Any) -> None:
    carried = json.dumps(RULES.value(value))
    assert len(carried) < 2 * MAX_TOTAL
    assert sum(len(text) for text in carried.split('"') if "x" in text or "y" in text) <= MAX_TOTAL + 8 * len(CUT)


def test_what_is_cut_says_so_and_what_fits_is_whole() -> None:
    whole = ["x" * 1000, {"a": 1, "b": [None, True, 2.5]}, "y"]
    assert RULES.value(whole) == whole
    cut = RULES.value(["x" * MAX_TEXT] * 100)
    assert cut[0] == "x" * MAX_TEXT
    assert cut[-1] == CUT
    assert sum(len(text) for text in cut if text != CUT) <= MAX_TOTAL + len(CUT)
