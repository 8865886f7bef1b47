"""Makes more events than a socket's buffer holds, says so, and waits for Ctrl+C. Argument: ``plain`` or ``asyncio``.

It wakes up every now and then: a signal that comes just before the main thread goes to sleep is seen by CPython when it
wakes, with and without the sensor (about one run in 150 here).
"""

import asyncio
import sys
import time


def work() -> None:
    for _ in range(2000):
        exec("pass")
    print("ready", flush=True)


async def main() -> None:
    work()
    try:
        for _ in range(1200):
            await asyncio.sleep(0.05)
    finally:
        print("finally", flush=True)


if sys.argv[1] == "asyncio":
    asyncio.run(main())
else:
    work()
    for _ in range(1200):
        time.sleep(0.05)
