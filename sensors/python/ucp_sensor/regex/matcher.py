"""A program, ready to search."""

from .dfa import LazyDfa
from .program import Program
from .spans import Span, find_spans


class Matcher:
    """Keep one per program: it caches what it learns about texts."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._dfa = LazyDfa(program)

    def test(self, text: str) -> bool:
        return self._dfa.test(text)

    def spans(self, text: str) -> "list[Span]":
        """Most texts match nothing, and the automaton is much faster than following threads."""
        return find_spans(self._program, text) if self._dfa.test(text) else []
