"""``python -m ucp_sensor app.py ARGS``: see launch.py."""

import os
import sys

from .launch import USAGE, plan, site_directory


def main() -> int:
    launch = plan(sys.orig_argv, sys.executable, os.environ, site_directory(os.path.dirname(os.path.abspath(__file__))))
    if isinstance(launch, str):
        asked = launch == USAGE and any(arg in ("-h", "--help") for arg in sys.argv[1:])
        (sys.stdout if asked else sys.stderr).write(launch)
        return 0 if asked else 2
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(launch.argv[0], launch.argv, launch.env)


if __name__ == "__main__":
    sys.exit(main())
