"""How names of tools, prompts and servers are compared (src/policy/glob/name-list.ts)."""

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

#: White space as JavaScript's ``trim`` has it.
SPACE = "\t\n\v\f\r \u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000\ufeff"

#: Longest name that is remembered.
_SHORT = 256


def canonical_name(name: str) -> str:
    """Unicode compatibility forms are one (NFKC), white space around the name is none. Case matters."""
    if len(name) <= _SHORT:
        return _canonical(name)
    return unicodedata.normalize("NFKC", name).strip(SPACE)


@lru_cache(maxsize=1024)
def _canonical(name: str) -> str:
    return unicodedata.normalize("NFKC", name).strip(SPACE)


class NameList:
    """Names in which ``*`` stands for any text, slashes included; every other character means itself."""

    def __init__(self, names: Iterable[str]) -> None:
        self._exact: dict[str, int] = {}
        self._wild: list[tuple[int, list[str]]] = []
        for index, entry in enumerate(names):
            name = canonical_name(entry)
            if "*" in name:
                self._wild.append((index, name.split("*")))
            else:
                self._exact.setdefault(name, index)

    def find(self, text: str) -> int:
        """The index of the first entry that covers ``text``, −1 when there is none."""
        name = canonical_name(text)
        best = self._exact.get(name, -1)
        for index, parts in self._wild:
            if 0 <= best < index:
                break
            if _wild(parts, name):
                return index
        return best


def _wild(parts: "list[str]", text: str) -> bool:
    first, last = parts[0], parts[-1]
    end = len(text) - len(last)
    if end < len(first) or not text.startswith(first) or not text.endswith(last):
        return False
    at = len(first)
    for part in parts[1:-1]:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return at <= end
