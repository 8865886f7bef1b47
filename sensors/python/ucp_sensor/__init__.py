"""Policy sensors for Python programs: MCP, A2A, LLM calls, agent frameworks and what a program does at run time.

Layout, here and where it is shipped (``dist/sensors/python``, mounted read-only at ``/.ucp/sensors/python``)::

    site/sitecustomize.py   on PYTHONPATH: starts the sensor in every interpreter
    ucp_sensor/             this package; found beside ``site``, or installed from the wheel

``python -m ucp_sensor app.py ARGS`` starts a program with the sensor; in a sandbox ``sitecustomize`` does it by itself.
One file per hook; each says what it can't see. Only the standard library is used.
"""

VERSION = "26.11.0"
