"""Regular expressions as data, compiled by the control plane (src/policy/regex/program.ts has the format)."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, NamedTuple

FAIL, MATCH, ALT, EMPTY, CLASS = range(5)

BEGIN_LINE, END_LINE, BEGIN_TEXT, END_TEXT, WORD_BOUNDARY, NO_WORD_BOUNDARY = (1 << bit for bit in range(6))

#: What stands beside a place in a text, as far as conditions can see it.
EDGE, NEWLINE, WORD, OTHER = range(4)


class Program(NamedTuple):
    """``code``: flat ``[op, out, arg]`` triples; ``classes``: flat sorted lists of inclusive code point ranges."""

    start: int
    code: "tuple[int, ...]"
    classes: "tuple[tuple[int, ...], ...]"


def load_program(value: Any) -> Program:
    """Reads a program; ValueError for another version."""
    if not isinstance(value, dict) or value.get("v") != 1:
        raise ValueError("Expected a compiled regular expression of version 1.")
    return Program(int(value["start"]), tuple(value["code"]), tuple(tuple(ranges) for ranges in value["classes"]))


def kind_of(code: int) -> int:
    """The kind of a code point; −1 is the edge of the text."""
    if code < 0:
        return EDGE
    if code == 10:
        return NEWLINE
    return WORD if 97 <= code <= 122 or 65 <= code <= 90 or 48 <= code <= 57 or code == 95 else OTHER


def conditions(before: int, after: int) -> int:
    """The conditions that hold between a code point of kind ``before`` and one of kind ``after``."""
    flags = NO_WORD_BOUNDARY if (before == WORD) == (after == WORD) else WORD_BOUNDARY
    if before == EDGE:
        flags |= BEGIN_TEXT | BEGIN_LINE
    elif before == NEWLINE:
        flags |= BEGIN_LINE
    if after == EDGE:
        flags |= END_TEXT | END_LINE
    elif after == NEWLINE:
        flags |= END_LINE
    return flags


def in_ranges(ranges: "tuple[int, ...]", code: int) -> bool:
    """True when ``code`` is in a sorted flat list of inclusive ranges."""
    at = bisect_left(ranges, code)
    return at < len(ranges) and (at % 2 == 1 or ranges[at] == code)


def follow(program: Program, pc: int, flags: int, seen: "set[int]") -> "list[int]":
    """Where threads wait after ALT, and EMPTY where its conditions hold, from ``pc``: in the order of priority."""
    code = program.code
    waiting: list[int] = []
    pending = [pc]
    while pending:
        at = pending.pop()
        if at in seen:
            continue
        seen.add(at)
        op, out, arg = code[3 * at : 3 * at + 3]
        if op == ALT:
            pending.append(arg)
            pending.append(out)
        elif op == EMPTY:
            if not arg & ~flags:
                pending.append(out)
        elif op in (MATCH, CLASS):
            waiting.append(at)
    return waiting


def union(programs: Sequence[Program]) -> Program:
    """One program that matches where any of ``programs`` does."""
    code: list[int] = [0, 0, 0]
    classes: list[tuple[int, ...]] = []
    starts: list[int] = []
    for program in programs:
        base, class_base = len(code) // 3, len(classes)
        for i in range(0, len(program.code), 3):
            op, out, arg = program.code[i : i + 3]
            shifted = arg + base if op == ALT else arg + class_base if op == CLASS else arg
            code += (op, out if op <= MATCH else out + base, shifted)
        classes += program.classes
        starts.append(program.start + base)
    start = 0
    for following in reversed(starts):
        code += (ALT, following, start)
        start = len(code) // 3 - 1
    return Program(start, tuple(code), tuple(classes))
