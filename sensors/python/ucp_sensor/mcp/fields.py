"""Fields of the SDKs' models, some of which a version of them lacks."""

from typing import Any


def field(model: Any, *names: str) -> Any:
    """The first of these fields that is there and not ``None``. To ask a model of pydantic for one that it lacks takes as
    long as to judge a call, so what it has is looked at instead: fields, and what it was given beyond them."""
    if not hasattr(type(model), "__pydantic_extra__"):
        values = (getattr(model, name, None) for name in names)
        return next((value for value in values if value is not None), None)
    for held in (model.__dict__, model.__pydantic_extra__):
        for name in names if held else ():
            value = held.get(name)
            if value is not None:
                return value
    return None
