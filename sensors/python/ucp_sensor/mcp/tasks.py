"""Which call each task belongs to: its result comes in the answer to another request (src/policy/mcp/tasks.ts)."""

from typing import Any, Generic, TypeVar

from .fields import field

Call = TypeVar("Call")

#: Tasks that are remembered; the oldest goes first.
MAX_TASKS = 1024

#: Requests whose answers hold a task's result: of 2025-11-25, and of the extension of 2026-07-28.
_FETCHES = frozenset({"tasks/result", "tasks/get"})


def may_begin_task(result: Any) -> bool:
    """Whether a result that is a model may be a task; writing out all of a result costs more than judging it."""
    return "task" in (field(result, "result_type"), field(result, "resultType")) or field(result, "task") is not None


class Tasks(Generic[Call]):
    def __init__(self) -> None:
        self._calls: dict[str, Call] = {}

    def learn(self, call: "Call | None", result: "dict[str, Any]") -> None:
        """Looks at the result of a call: it may be a task instead."""
        identity = _id_of(result.get("task"))
        if identity is None and result.get("resultType") == "task":
            identity = _id_of(result)
        if identity is None or call is None:
            return
        if len(self._calls) >= MAX_TASKS:
            del self._calls[next(iter(self._calls))]
        self._calls[identity] = call

    def call_of(self, method: str, params: Any) -> "Call | None":
        """The call whose result a request asks for."""
        return self._calls.get(_id_of(params) or "") if method in _FETCHES else None


def _id_of(task: Any) -> "str | None":
    found = task.get("taskId") if isinstance(task, dict) else None
    return found if isinstance(found, str) else None
