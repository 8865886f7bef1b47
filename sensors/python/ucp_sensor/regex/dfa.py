"""Tells whether a program matches anywhere in a text, by an automaton that is built as texts demand it."""

from .program import CLASS, EDGE, MATCH, Program, conditions, follow, in_ranges, kind_of

#: States kept before the cache starts anew: bounds memory for patterns that would need very many.
MAX_STATES = 2_000
#: Transitions kept per state.
MAX_TRANSITIONS = 400


class _State(dict[str, "_State"]):
    """A set of threads before their conditions are looked at: maps a character (``""``: the end) to the next state."""

    __slots__ = ("before", "dfa", "pcs")

    def __init__(self, dfa: "LazyDfa | None", pcs: "tuple[int, ...]", before: int) -> None:
        super().__init__()
        self.dfa = dfa
        self.pcs = pcs
        self.before = before

    def __missing__(self, char: str) -> "_State":
        if self.dfa is None:
            return self
        if len(self) >= MAX_TRANSITIONS:
            self.clear()
        following = self[char] = self.dfa.step(self, ord(char) if char else -1)
        return following


#: Reached when a thread has matched: nothing after it matters for a verdict.
_MATCHED = _State(None, (), EDGE)


class LazyDfa:
    """Each character costs one look-up once its transition is known, at most one pass over the program otherwise."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._states: dict[tuple[int, tuple[int, ...]], _State] = {}
        self._start = self._state((), EDGE)

    def test(self, text: str) -> bool:
        """True when the program matches anywhere in ``text``."""
        state = self._start
        for char in text:
            state = state[char]
            if state is _MATCHED:
                return True
        return state[""] is _MATCHED

    def step(self, state: _State, code: int) -> _State:
        program = self._program
        kind = kind_of(code)
        flags = conditions(state.before, kind)
        seen: set[int] = set()
        following: set[int] = set()
        for pc in (*state.pcs, program.start):
            for at in follow(program, pc, flags, seen):
                op, out, arg = program.code[3 * at : 3 * at + 3]
                if op == MATCH:
                    return _MATCHED
                if op == CLASS and code >= 0 and in_ranges(program.classes[arg], code):
                    following.add(out)
        return self._state(tuple(sorted(following)), kind)

    def _state(self, pcs: "tuple[int, ...]", before: int) -> _State:
        found = self._states.get((before, pcs))
        if found is not None:
            return found
        if len(self._states) >= MAX_STATES:
            self._states = {}
            self._start = self._states[(EDGE, ())] = _State(self, (), EDGE)
        state = self._states[(before, pcs)] = _State(self, pcs, before)
        return state
