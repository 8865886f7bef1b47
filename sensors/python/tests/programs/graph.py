"""A LangGraph agent with a fake model that calls a tool, a stream, a failing chain, and a batch in threads."""

import json

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool


@tool
def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


class Model(GenericFakeChatModel):
    def bind_tools(self, tools, **kwargs):
        return self


CALL = AIMessage(content="", tool_calls=[{"name": "add", "args": {"a": 1, "b": 2}, "id": "t1"}])
model = Model(messages=iter([CALL, AIMessage(content="three")]))
try:
    from langchain.agents import create_agent

    agent = create_agent(model, [add])
except ImportError:
    from langgraph.prebuilt import create_react_agent

    agent = create_react_agent(model, [add])

answers = {"agent": agent.invoke({"messages": [("user", "1+2?")]})["messages"][-1].content}
streaming = GenericFakeChatModel(messages=iter([AIMessage(content="a b c")]))
answers["stream"] = "".join(chunk.content for chunk in streaming.stream("hi", config={"callbacks": []}))


def fail(_value):
    raise ValueError("no")


try:
    RunnableLambda(fail).invoke(1)
except ValueError as error:
    answers["error"] = str(error)
answers["batch"] = RunnableLambda(lambda value: value + 1).batch([1, 2, 3])
print(json.dumps(answers))
