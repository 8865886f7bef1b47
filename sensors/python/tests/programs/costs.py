"""What the sensor's hot paths cost, in microseconds of the thread's time; the best of fifteen batches. Arguments: the
directory of the package, a policy file (scripts/sensor-policy.ts makes one), a socket that nobody needs to read.
"""

import sys
from time import thread_time

sys.path.insert(0, sys.argv[1])
from ucp_sensor.events.line import Event, encode
from ucp_sensor.llm.answer import Answer
from ucp_sensor.llm.call import begin
from ucp_sensor.mcp.conversation import Conversation
from ucp_sensor.mcp.exchange import Exchange
from ucp_sensor.places import Places
from ucp_sensor.sensor import Sensor

sensor = Sensor(Places(sys.argv[2], sys.argv[3], "sandbox"))
conversation = Conversation(sensor)


class Client:
    base_url = None


class Options:
    method = "post"
    url = "/chat/completions"
    json_data = {"model": "m", "messages": [{"role": "user", "content": "hello " * 50}]}


CHOICE = {"index": 0, "message": {"role": "assistant", "content": "the answer"}, "finish_reason": "stop"}
ANSWER = {"id": "c1", "model": "m-1", "choices": [CHOICE], "usage": {"prompt_tokens": 5, "completion_tokens": 2}}
BODY = {"side": "server", "server": "shop", "transport": "stdio", "outcome": "ok", "duration_ms": 1}
EVENT = Event("1", 1, "mcp_tool_call", "mcp", BODY, {"gen_ai.tool.name": "add"}, None, None, "python_sensor", 1)


def call_of_a_model() -> None:
    call, answer = begin(sensor, "openai", Client, Options), Answer()
    answer.add(ANSWER)
    call.end(answer, 200)


def call_of_a_tool() -> None:
    exchange = Exchange(conversation, sensor.mcp(), "server", "tools/call")
    exchange.open({"name": "add"}, dict)
    exchange.close({"content": []})


def best(work) -> float:
    batches = []
    for _ in range(15):
        since = thread_time()
        for _ in range(300):
            work()
        batches.append((thread_time() - since) / 300 * 1_000_000)
    return min(batches)


for name, work in {
    "redacting a prompt of 300 characters": lambda: sensor.content().value(Options.json_data),
    "request and answer of a model": call_of_a_model,
    "one side of an MCP call": call_of_a_tool,
    "an event made into JSON": lambda: encode(EVENT, 0),
}.items():
    print(f"{best(work):6.1f} µs  {name}")
