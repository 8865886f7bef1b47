"""A crew of one agent with a tool, whose model is CrewAI's own OpenAI provider, against a local vendor; a flow; and the
bus's events of memory, MCP and A2A, which need services to happen by themselves. Argument: the vendor's address.
"""

import json
import os
import sys
import tempfile

os.environ.update(
    CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true", CREWAI_TRACING_ENABLED="false", CREWAI_TESTING="true"
)
os.environ["OPENAI_API_KEY"] = "sk-x"
os.environ["OPENAI_BASE_URL"] = os.environ["OPENAI_API_BASE"] = f"http://{sys.argv[1]}/v1"
from crewai import LLM, Agent, Crew, Task
from crewai.events import crewai_event_bus
from crewai.events.types.memory_events import MemoryQueryStartedEvent
from crewai.events.types.tool_usage_events import ToolUsageErrorEvent
from crewai.flow.flow import Flow, listen, start

# CrewAI keeps outputs of tasks there, and two crews that write at once read what is half written.
own = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
os.environ["XDG_DATA_HOME"] = tempfile.tempdir = own.name
# Its threads may write to the console after the last line of ours.
stdout, sys.stdout = sys.stdout, sys.stderr

llm = LLM(model="openai/gpt-4o-mini", base_url=f"http://{sys.argv[1]}/v1", api_key="sk-x")
agent = Agent(role="clerk", goal="answer", backstory="none", llm=llm)
task = Task(description="say something, my key is sk-abcdefghijklmnop", expected_output="text", agent=agent)
answers = {"answer": str(Crew(agents=[agent], tasks=[task]).kickoff())}


class Steps(Flow):
    @start()
    def first(self):
        return "one"

    @listen(first)
    def second(self, value):
        return f"{value} two"


answers["flow"] = Steps().kickoff()

more = [
    MemoryQueryStartedEvent(query="what?", limit=3),
    ToolUsageErrorEvent(tool_name="add", tool_args={"a": 1}, error="bad key sk-abcdefghijklmnop", agent_key="k"),
]
try:
    from crewai.events.types.a2a_events import A2AMessageSentEvent
    from crewai.events.types.mcp_events import MCPToolExecutionStartedEvent

    place = {"server_name": "shop", "server_url": "http://me:secretsecret@host/", "transport_type": "http"}
    more.append(MCPToolExecutionStartedEvent(**place, tool_name="add", tool_args={"a": 1}))
    more.append(A2AMessageSentEvent(message="hello", turn_number=1, endpoint="http://agent", a2a_agent_name="Weather"))
except ImportError:
    pass  # CrewAI 1.0 has neither.
for event in more:
    crewai_event_bus.emit(agent, event)
print(json.dumps(answers), file=stdout, flush=True)
