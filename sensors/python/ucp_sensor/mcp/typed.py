"""Between the SDKs' pydantic models and messages as on the wire."""

from typing import Any

from .fields import field
from .listing import Listing
from .methods import LISTS


def wire(model: Any) -> "dict[str, Any]":
    """A request or result as JSON has it."""
    dumped: dict[str, Any] = model.model_dump(by_alias=True, mode="json", exclude_none=True)
    return dumped


def named_by(request: Any) -> "dict[str, Any]":
    """What names a request's target; writing out all of a request costs more than judging it."""
    params = field(request, "params")
    found: dict[str, Any] = {}
    if params is None:
        return found
    for key in ("name", "uri"):
        value = field(params, key)
        if value is not None:
            found[key] = str(value)
    if str(field(request, "method")).startswith("tasks/"):
        return params_of(request)
    ref = field(params, "ref")
    return found if ref is None else {**found, "ref": wire(ref)}


def params_of(request: Any) -> "dict[str, Any]":
    """All parameters as JSON has them."""
    params: dict[str, Any] = wire(request).get("params") or {}
    return params


def hide(result: Any, listing: Listing) -> None:
    """Takes hidden entries out of a result's own lists."""
    for key, attributes, _kind, _name in LISTS:
        keep = listing.keep.get(key)
        if keep is None:
            continue
        attribute = next(name for name in attributes if hasattr(result, name))
        entries = getattr(result, attribute)
        setattr(result, attribute, [entry for entry, stays in zip(entries, keep, strict=True) if stays])


def with_arguments(request: Any, arguments: Any) -> Any:
    """A copy of a request with other arguments; the program's own stays as it is."""
    inner = getattr(request, "root", request)
    changed = inner.model_copy(update={"params": inner.params.model_copy(update={"arguments": arguments})})
    return changed if inner is request else type(request)(changed)


def with_params(request: Any, params: "dict[str, Any]") -> Any:
    """A request of the same type with other parameters, as JSON has them."""
    inner = getattr(request, "root", request)
    changed = rebuilt(inner, {**wire(inner), "params": params})
    return changed if inner is request else type(request)(changed)


def rebuilt(model: Any, content: "dict[str, Any]") -> Any:
    """A request or result of the same type with other content."""
    return type(model).model_validate(content)
