"""The server over HTTP, on a free port, which it prints. Argument: ``http`` or ``sse``."""

import socket
import sys

import uvicorn
from mcp_parts import make_server

server = make_server()
app = server.sse_app() if sys.argv[1] == "sse" else server.streamable_http_app()
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])
