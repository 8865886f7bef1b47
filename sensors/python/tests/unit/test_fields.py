"""What a model has, whatever it is made of."""

from types import SimpleNamespace
from typing import Any

from ucp_sensor.mcp.fields import field


class Model:
    """As pydantic's: asked for what it lacks it takes its time."""

    __slots__ = ("__dict__", "__pydantic_extra__")

    def __init__(self, extra: "dict[str, Any] | None", **fields: Any) -> None:
        self.__dict__.update(fields)
        self.__pydantic_extra__ = extra

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"asked for {name}")


def test_the_first_field_that_is_set() -> None:
    for value in (Model(None, a=None, b=2, c=3), SimpleNamespace(a=None, b=2, c=3)):
        assert field(value, "a", "b", "c") == 2
        assert field(value, "a") is None
        assert field(value, "d", "e") is None


def test_what_a_model_was_given_beyond_its_fields() -> None:
    assert field(Model({"task": {"taskId": "t"}}, a=1), "task") == {"taskId": "t"}
    assert field(Model({"a": 0}, a=1), "a") == 1


def test_false_is_set() -> None:
    assert field(Model(None, is_error=False), "is_error", "isError") is False
