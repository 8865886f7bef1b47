"""A LangGraph agent with a fake model that calls a tool, a stream, failing chain and tool, a retriever, and a batch."""

import json

from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool


@tool
def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


@tool
def fail_tool(text: str) -> str:
    """Fails."""
    raise ValueError(f"no {text}")


class Model(GenericFakeChatModel):
    def bind_tools(self, tools, **kwargs):
        return self


class Retriever(BaseRetriever):
    def _get_relevant_documents(self, query, *, run_manager):
        return [Document(page_content=f"about {query}"), Document(page_content="more")]


USAGE = {"input_tokens": 5, "output_tokens": 2, "total_tokens": 7}
CALL = AIMessage(content="", tool_calls=[{"name": "add", "args": {"a": 1, "b": 2}, "id": "t1"}])
model = Model(messages=iter([CALL, AIMessage(content="three", usage_metadata=USAGE)]))
try:
    from langchain.agents import create_agent

    agent = create_agent(model, [add], name="adder")
except ImportError:
    from langgraph.prebuilt import create_react_agent

    agent = create_react_agent(model, [add], name="adder")

ask = "1+2? my key is sk-abcdefghijklmnop"
answers = {"agent": agent.invoke({"messages": [("user", ask)]})["messages"][-1].content}
streaming = GenericFakeChatModel(messages=iter([AIMessage(content="a b c")]))
answers["stream"] = "".join(chunk.content for chunk in streaming.stream("hi", config={"callbacks": []}))
answers["documents"] = [document.page_content for document in Retriever().invoke("weather")]


def fail(_value):
    raise ValueError("no")


for name, call in (("error", lambda: RunnableLambda(fail).invoke(1)), ("tool_error", lambda: fail_tool.invoke("way"))):
    try:
        call()
    except ValueError as error:
        answers[name] = str(error)
answers["batch"] = RunnableLambda(lambda value: value + 1).batch([1, 2, 3], config={"max_concurrency": 1})
print(json.dumps(answers))
