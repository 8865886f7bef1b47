"""The errors that the two SDK lines have for a refused request."""

from typing import Any

from .denial import DENIED, Refusal


def error_data(refusal: Refusal) -> Any:
    """``ErrorData`` of ``mcp`` 1.x."""
    from mcp.types import ErrorData

    return ErrorData(code=DENIED, message=refusal.message, data=refusal.data)


def error_of(refusal: Refusal) -> Exception:
    """What a client's caller sees: ``MCPError`` (2.x) or ``McpError`` (1.x), with code and data."""
    from mcp.shared import exceptions

    modern = getattr(exceptions, "MCPError", None)
    # Late 1.x has both names for one class, with 1.x's constructor.
    if modern is not None and modern is not getattr(exceptions, "McpError", None):
        error: Exception = modern(code=DENIED, message=refusal.message, data=refusal.data)
        return error
    legacy: Exception = exceptions.McpError(error_data(refusal))
    return legacy
