"""Runs a program against a server: the server's first line says where it is, and stands for every ``@`` in the arguments
of the program. Arguments: ``bare`` (the server has no sensor) or ``watched``, SERVER ARGUMENT…, ``--``, PROGRAM ARGUMENT….
"""

import os
import subprocess
import sys

SENSOR, *ARGUMENTS = sys.argv[1:]
SERVER, PROGRAM = ARGUMENTS[: ARGUMENTS.index("--")], ARGUMENTS[ARGUMENTS.index("--") + 1 :]
env = dict(os.environ)
if SENSOR == "bare":
    env = {name: value for name, value in env.items() if not name.startswith(("UCP_", "PYTHON"))}

server = subprocess.Popen([sys.executable, *SERVER], env=env, stdout=subprocess.PIPE, text=True)
try:
    assert server.stdout is not None
    where = server.stdout.readline().strip()
    program = [sys.executable, *(where if argument == "@" else argument for argument in PROGRAM)]
    sys.exit(subprocess.run(program, check=False).returncode)
finally:
    server.terminate()
    server.wait(10)
