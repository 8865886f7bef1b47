"""A crew of one agent whose model is CrewAI's own OpenAI provider, against a local vendor. Argument: its address."""

import json
import os
import sys

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true", CREWAI_TRACING_ENABLED="false")
os.environ["OPENAI_API_KEY"] = "sk-x"
from crewai import LLM, Agent, Crew, Task

llm = LLM(model="openai/gpt-4o-mini", base_url=f"http://{sys.argv[1]}/v1", api_key="sk-x")
agent = Agent(role="clerk", goal="answer", backstory="none", llm=llm)
task = Task(description="say something", expected_output="text", agent=agent)
print(json.dumps({"answer": str(Crew(agents=[agent], tasks=[task]).kickoff())}))
