"""LangChain and LangGraph (langchain-core 0.3 and 1.x): chains, models, tools, retrievers, agents; observing.

One callback handler, registered the way that tracers are: a context variable whose default every thread and context
sees, explicit ``callbacks=[]`` or not. Can't see: code that runs without LangChain's callbacks.
"""

from collections.abc import Callable
from contextvars import ContextVar
from types import ModuleType
from typing import Any

from ..sensor import Sensor
from .runs import Runs, usage_of


def install(sensor: Sensor, module: ModuleType) -> None:
    handler = _make_handler(sensor)
    module.__dict__["register_configure_hook"](ContextVar("ucp_sensor_langchain", default=handler), True)


def _make_handler(sensor: Sensor) -> Any:  # noqa: C901 (one small method per kind of event)
    from langchain_core.callbacks.base import BaseCallbackHandler

    runs = Runs(sensor)

    def tell(how: "Callable[..., None]", *args: Any) -> None:
        try:
            how(*args)
        except Exception as error:
            sensor.report("langchain", error)

    class UcpHandler(BaseCallbackHandler):  # type: ignore[misc]
        run_inline = True
        raise_error = False

        def on_chain_start(self, serialized: Any, inputs: Any, *, run_id: Any, **more: Any) -> None:
            tell(runs.start, "chain", run_id, serialized, more, {"inputs": inputs})

        def on_chain_end(self, outputs: Any, *, run_id: Any, **more: Any) -> None:
            tell(runs.end, "chain", run_id, {"outputs": outputs})

        def on_chain_error(self, error: BaseException, *, run_id: Any, **more: Any) -> None:
            tell(runs.failed, "chain", run_id, error)

        def on_chat_model_start(self, serialized: Any, messages: Any, *, run_id: Any, **more: Any) -> None:
            body = {"messages": sum(len(batch) for batch in messages)}
            tell(runs.start, "llm", run_id, serialized, more, {"prompts": messages}, body)

        def on_llm_start(self, serialized: Any, prompts: Any, *, run_id: Any, **more: Any) -> None:
            tell(runs.start, "llm", run_id, serialized, more, {"prompts": prompts}, {"messages": len(prompts)})

        def on_llm_new_token(self, token: Any, *, run_id: Any, **more: Any) -> None:
            tell(runs.token, run_id)

        def on_llm_end(self, response: Any, *, run_id: Any, **more: Any) -> None:
            tell(lambda: runs.end("llm", run_id, {"answers": response.generations}, None, usage_of(response)))

        def on_llm_error(self, error: BaseException, *, run_id: Any, **more: Any) -> None:
            tell(runs.failed, "llm", run_id, error)

        def on_tool_start(self, serialized: Any, input_str: Any, *, run_id: Any, **more: Any) -> None:
            tell(runs.start, "tool", run_id, serialized, more, {"arguments": more.get("inputs") or input_str})

        def on_tool_end(self, output: Any, *, run_id: Any, **more: Any) -> None:
            tell(runs.end, "tool", run_id, {"result": output})

        def on_tool_error(self, error: BaseException, *, run_id: Any, **more: Any) -> None:
            tell(runs.failed, "tool", run_id, error)

        def on_retriever_start(self, serialized: Any, query: Any, *, run_id: Any, **more: Any) -> None:
            tell(runs.start, "retriever", run_id, serialized, more, {"query": query})

        def on_retriever_end(self, documents: Any, *, run_id: Any, **more: Any) -> None:
            tell(runs.end, "retriever", run_id, {"found": documents}, {"documents": len(documents)})

        def on_retriever_error(self, error: BaseException, *, run_id: Any, **more: Any) -> None:
            tell(runs.failed, "retriever", run_id, error)

        def on_agent_action(self, action: Any, *, run_id: Any, **more: Any) -> None:
            arguments = {"arguments": getattr(action, "tool_input", None)}
            tell(runs.seen, "agent_action", run_id, {"tool": str(getattr(action, "tool", ""))}, arguments)

        def on_agent_finish(self, finish: Any, *, run_id: Any, **more: Any) -> None:
            tell(runs.seen, "agent_finish", run_id, {}, {"outputs": getattr(finish, "return_values", None)})

        def on_retry(self, retry_state: Any, *, run_id: Any, **more: Any) -> None:
            tell(runs.seen, "retry", run_id, {"attempt": getattr(retry_state, "attempt_number", 0)}, None)

        def on_custom_event(self, name: str, data: Any, *, run_id: Any, **more: Any) -> None:
            tell(runs.seen, "custom_event", run_id, {"event": str(name)[:200]}, {"data": data})

    return UcpHandler()
