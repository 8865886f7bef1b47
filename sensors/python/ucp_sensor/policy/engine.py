"""Where compiled rules come from: the policy file, because a sensor has no compilers."""

import re
from collections.abc import Sequence
from typing import Any, Protocol

from ..regex.program import Program, load_program


class List(Protocol):
    """A list of rules, ready to be asked."""

    def find(self, text: str) -> int:
        """The index of the first rule that ``text`` is covered by, −1 when there is none."""
        ...


class Engine:
    """Reads ``SensorPolicyFile.programs``. KeyError for what the file doesn't have: a rule is never left out."""

    def __init__(self, programs: "dict[str, Any]") -> None:
        self._programs = programs

    def regex(self, source: str) -> Program:
        return load_program(self._programs["regex"][source])

    def builtin(self, name: str) -> "list[tuple[str, Program]]":
        return [(entry["name"], load_program(entry["program"])) for entry in self._programs["builtin"][name]]

    def globs(self, globs: Sequence[str]) -> "GlobList":
        return GlobList([self._programs["globs"][glob] for glob in globs])


class GlobList:
    """Globs over URIs, URLs or paths, as anchored regex sources that match in linear time."""

    def __init__(self, sources: Sequence[str]) -> None:
        self._sources: list[str | re.Pattern[str]] = list(sources)

    def find(self, text: str) -> int:
        collapsed = re.sub(r"/{2,}", "/", text) if "//" in text else text
        for index, source in enumerate(self._sources):
            if isinstance(source, str):
                source = self._sources[index] = re.compile(source)
            if source.match(collapsed):
                return index
        return -1
