"""Replaces functions on classes and modules so that nobody notices."""

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

AnyFunction = Callable[..., Any]


class HookMissing(Exception):
    """A library has no longer what a hook needs: the hook is off, and that is reported by name."""


def wrap(owner: Any, name: str, make: "Callable[[AnyFunction], AnyFunction]") -> None:
    """Puts ``make(original)`` in place of ``owner.name``, which must be ``owner``'s own: an inherited one would be
    shadowed for its other heirs. Does nothing the second time."""
    original = vars(owner).get(name)
    if original is None:
        raise HookMissing(f"{getattr(owner, '__module__', '')}.{getattr(owner, '__qualname__', owner)} has no {name}")
    if getattr(original, "__ucp_sensor__", False):
        return
    wrapped = update_wrapper(make(original), original)
    wrapped.__ucp_sensor__ = True  # type: ignore[attr-defined]
    setattr(owner, name, wrapped)


def owned(owner: Any, name: str) -> bool:
    """Whether ``owner`` itself defines ``name``."""
    return owner is not None and name in vars(owner)
