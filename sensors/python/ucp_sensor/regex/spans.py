"""Finds every match of a program (Pike's algorithm; the same limits as src/policy/regex/find-spans.ts)."""

from .program import MATCH, Program, conditions, follow, in_ranges, kind_of

Span = tuple[int, int]

#: Positions that one search may visit per UTF-16 unit of the text, before it gives up on precision.
VISITS_PER_UNIT = 64
FREE_VISITS = 100_000


def find_spans(program: Program, text: str) -> "list[Span]":
    """Every match that is not empty, leftmost-first, without overlaps, in code points.

    When all searches together have visited too much, the rest of the text is one last span: redacting too much is
    safe, and the total stays linear.
    """
    units = len(text) + sum(char > "\uffff" for char in text)
    search = _Search(program, text)
    budget = FREE_VISITS + VISITS_PER_UNIT * units
    spans: list[Span] = []
    start = 0
    while start <= len(text):
        if search.visits > budget:
            return [*spans, (start, len(text))]
        match = search.next(start)
        if match is None:
            return spans
        if match[1] > match[0]:
            spans.append(match)
        start = match[1] if match[1] > match[0] else match[1] + 1
    return spans


class _Search:
    def __init__(self, program: Program, text: str) -> None:
        self._program = program
        self._codes = [ord(char) for char in text]
        self.visits = 0

    def next(self, start: int) -> "Span | None":
        """The leftmost-first match that begins at ``start`` or later."""
        program, codes = self._program, self._codes
        found: Span | None = None
        bare: list[tuple[int, int]] = []  # (pc, begin) in the order of priority, conditions not yet looked at
        index = start
        while True:
            self.visits += 1
            last = codes[index - 1] if index > 0 else -1
            code = codes[index] if index < len(codes) else -1
            flags = conditions(kind_of(last), kind_of(code))
            # A thread that begins here ranks below those that began earlier; none begins after a match was found.
            if found is None:
                bare.append((program.start, index))
            seen: set[int] = set()
            now = [(at, begin) for pc, begin in bare for at in follow(program, pc, flags, seen)]
            if found is not None and not now:
                return found
            bare = []
            for at, begin in now:
                op, out, arg = program.code[3 * at : 3 * at + 3]
                if op == MATCH:
                    found = (begin, index)
                    break  # Cuts off all threads of lower rank.
                if code >= 0 and in_ranges(program.classes[arg], code):
                    bare.append((out, begin))
            if code < 0:
                return found
            index += 1
