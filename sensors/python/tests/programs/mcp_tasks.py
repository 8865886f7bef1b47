"""Tools that are called as tasks, whose results are fetched later: on ``mcp`` 1.x by ``tasks/result`` (2025-11-25), on 2.x
by ``tasks/get`` of an extension (2026-07-28). Client and server in one process; says what each call gave.
"""

import asyncio
import json
from typing import Any

from mcp_parts import MODERN, _text, _try

TOOLS = {"leak": "card 4111111111111111", "plain": "no card"}


async def legacy() -> "dict[str, Any]":
    from mcp import types
    from mcp.server.lowlevel import Server
    from mcp.shared.memory import create_connected_server_and_client_session

    server: Any = Server("shop")
    server.experimental.enable_tasks()

    @server.list_tools()
    async def list_tools() -> "list[types.Tool]":
        execution = types.ToolExecution(taskSupport="required")
        return [types.Tool(name=name, inputSchema={"type": "object"}, execution=execution) for name in TOOLS]

    @server.call_tool()
    async def call_tool(name: str, _arguments: Any) -> Any:
        async def work(_task: Any) -> Any:
            return types.CallToolResult(content=[types.TextContent(type="text", text=TOOLS[name])])

        return await server.request_context.experimental.run_task(work)

    async def call(session: Any, name: str) -> Any:
        task = (await session.experimental.call_tool_as_task(name, {})).task
        async for _status in session.experimental.poll_task(task.taskId):
            pass
        return await session.experimental.get_task_result(task.taskId, types.CallToolResult)

    async with create_connected_server_and_client_session(server) as session:
        return {name: await _try(call(session, name), _text) for name in TOOLS}


async def modern() -> "dict[str, Any]":
    from typing import Literal

    from mcp import Client
    from mcp.client.extension import ClientExtension, ResultClaim
    from mcp.server.extension import Extension, MethodBinding
    from mcp.server.mcpserver import MCPServer
    from mcp_types import CallToolResult, Request, RequestParams, Result
    from pydantic import Field

    class Fetch(RequestParams):
        task: str = Field(alias="taskId")

    class FetchRequest(Request[Fetch, Literal["tasks/get"]]):
        method: Literal["tasks/get"] = "tasks/get"
        name_param = "taskId"

    class Begun(Result):
        result_type: Literal["task"] = "task"
        task_id: str

    class Done(Result):
        status: str
        result: CallToolResult

    class ServerTasks(Extension):
        identifier = "io.modelcontextprotocol/tasks"

        async def intercept_tool_call(self, params: Any, _ctx: Any, _call_next: Any) -> Any:
            return {"resultType": "task", "taskId": f"task of {params.name}", "status": "working"}

        async def fetch(self, _ctx: Any, params: Any) -> Any:
            text = TOOLS[params.task.removeprefix("task of ")]
            result = {"content": [{"type": "text", "text": text}], "resultType": "complete"}
            return {"taskId": params.task, "status": "completed", "result": result, "resultType": "complete"}

        def methods(self) -> Any:
            return (MethodBinding("tasks/get", Fetch, self.fetch),)

    class ClientTasks(ClientExtension):
        identifier = "io.modelcontextprotocol/tasks"

        async def resolve(self, begun: Any, context: Any) -> Any:
            asked = FetchRequest(params=Fetch(taskId=begun.task_id))
            return (await context.session.send_request(asked, Done)).result

        def claims(self) -> Any:
            return (ResultClaim(result_type="task", model=Begun, resolve=self.resolve),)

    server: Any = MCPServer("shop", extensions=[ServerTasks()])
    for name in TOOLS:
        server.add_tool(lambda: "never", name=name, structured_output=False)
    async with Client(server, mode="auto", extensions=[ClientTasks()]) as client:
        return {name: await _try(client.call_tool(name, {}), _text) for name in TOOLS}


async def converse() -> "dict[str, Any]":
    return await (modern() if MODERN else legacy())


if __name__ == "__main__":
    print(json.dumps(asyncio.run(converse())))
