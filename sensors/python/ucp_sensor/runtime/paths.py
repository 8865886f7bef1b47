"""Which files are a program's own."""

import os
import sys

_STDLIB = os.path.dirname(os.__file__) + os.sep
_BASE = os.path.join(sys.base_prefix, "lib") + os.sep


def is_library(file: str) -> bool:
    """Whether ``file`` belongs to the standard library or an installed package."""
    return (
        f"{os.sep}site-packages{os.sep}" in file
        or f"{os.sep}dist-packages{os.sep}" in file
        or file.startswith((_STDLIB, _BASE))
    )
