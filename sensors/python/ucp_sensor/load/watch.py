"""Runs a patch when a module has been imported, before anyone sees it.

One finder, first on ``sys.meta_path``. The loader that the other finders name stays the loader: only its
``exec_module`` is shadowed on that instance, so ``inspect``, resources and ``get_data`` work as before.
Can't see: builtin and frozen modules (their loaders are classes), modules that a program executes itself.
"""

import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

Patch = Callable[[ModuleType], None]


class Watcher:
    """Install with :meth:`start`. Reloading a module patches it again, because its classes are new."""

    def __init__(self, report: Callable[[str, BaseException], None]) -> None:
        self._patches: dict[str, list[Patch]] = {}
        self._busy: set[tuple[str, int]] = set()
        self._report = report

    def start(self) -> None:
        sys.meta_path.insert(0, self)

    def watch(self, name: str, patch: Patch) -> None:
        """Patches at the next import of ``name``, or at once if it is there already."""
        self._patches.setdefault(name, []).append(patch)
        module = sys.modules.get(name)
        if module is not None and not getattr(getattr(module, "__spec__", None), "_initializing", False):
            self._run(patch, module)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> "ModuleSpec | None":
        """The import protocol: what the other finders say, with our end on ``exec_module``."""
        try:
            return self._find(name, path, target)
        except Exception as error:  # The other finders are asked next, and say it themselves where it is theirs.
            self._report(f"import {name}", error)
            return None

    def _find(self, name: str, path: Any, target: Any) -> "ModuleSpec | None":
        if name not in self._patches:
            return None
        import _thread  # Only for watched names; costs nothing before.

        key = (name, _thread.get_ident())
        if key in self._busy:
            return None
        self._busy.add(key)
        try:
            spec = self._ask_others(name, path, target)
            if spec is not None and spec.loader is not None and not isinstance(spec.loader, type):
                self._shadow(spec)
            return spec
        finally:
            self._busy.discard(key)

    def _ask_others(self, name: str, path: Any, target: Any) -> "ModuleSpec | None":
        for finder in list(sys.meta_path):
            if finder is self:
                continue
            find_spec = getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = find_spec(name, path, target) if find_spec is not None else None
            if spec is not None:
                return spec
        return None

    def _shadow(self, spec: ModuleSpec) -> None:
        loader: Any = spec.loader
        original = loader.exec_module
        if getattr(original, "ucp_sensor", False):
            return  # A zipimporter is shared by its modules.

        def exec_module(module: ModuleType) -> None:
            original(module)
            # A name that was imported for another watched module through a shared loader has its own patches.
            for patch in self._patches.get(module.__name__, ()):
                self._run(patch, module)

        exec_module.ucp_sensor = True  # type: ignore[attr-defined]
        try:
            loader.exec_module = exec_module
        except AttributeError as error:
            self._report(f"hook {spec.name}", error)

    def _run(self, patch: Patch, module: ModuleType) -> None:
        try:
            patch(module)
        except Exception as error:
            self._report(f"hook {module.__name__}", error)
