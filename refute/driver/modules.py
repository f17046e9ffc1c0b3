"""Imports in the driver: a module of the implementation is loaded in the subject, a stub of it stands here."""

import builtins
import importlib.util
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from refute.driver.known import is_standard
from refute.driver.proxy.roots import Current, refuse_marks

TOOLS: Final = frozenset({"pytest", "_pytest", "hypothesis", "_hypothesis_pytestplugin"})
"""What test files import: an implementation of that name cannot be attacked."""
OURS: Final = frozenset({"pluggy", "refute"})
"""What the driver needs beside them: only an implementation of that name takes its place, in the test file."""


class ModuleStub(ModuleType):
    """A module that lives in the subject."""

    def __getattr__(self, name: str) -> Any:
        __tracebackhide__ = True
        refuse_marks(name)
        if name in {"__wrapped__", "__path__", "__spec__", "__file__", "__loader__"}:
            raise AttributeError(name)
        found = Current.link.request("get", self, name)
        if "__refute_tools__" in super().__dict__ and not isinstance(found, type):
            if isinstance(found, ModuleStub):
                found.__refute_tools__ = True
            else:  # a function or value of the test's own side, of which the implementation makes what it likes
                Current.link.judged_for_good()
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("__") and name.endswith("__"):
            super().__setattr__(name, value)
        elif not (isinstance(value, ModuleStub) and value.__name__ == f"{self.__name__}.{name}"):
            Current.link.request("set", self, name, value)

    def __delattr__(self, name: str) -> None:
        Current.link.request("del", self, name)

    def __dir__(self) -> list[str]:
        return list(Current.link.request("dir", self))

    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        return Names(self)


class Names(Mapping[str, Any], dict[str, Any]):  # type: ignore[misc, metaclass]  # `eval` wants a dict, and asks it by `[]`
    """A module's `__dict__`, asked for name by name: pytest and `inspect` look into it, and not all can be carried."""

    def __init__(self, module: ModuleStub) -> None:
        self._module = module

    def __getitem__(self, name: str) -> Any:
        try:
            return getattr(self._module, name)
        except AttributeError:
            raise KeyError(name) from None

    def __iter__(self) -> Iterator[str]:
        return iter(dir(self._module))

    def __len__(self) -> int:
        return len(dir(self._module))


def refuse(*_: Any, **__: Any) -> Any:
    """`eval`, `exec` and `compile` as the test file sees them: the implementation's text would run in the driver.

    Raises:
        CannotCarry: always.
    """
    Current.link.cannot("needs the implementation in the test's process: runs text as code there")


class Importer:
    """Finder and loader of the implementation's modules."""

    def __init__(self, roots: Sequence[str], modules: Sequence[str], workspace: str) -> None:
        names = {name.partition(".")[0] for name in modules}
        for root in roots:
            if Path(root).is_dir():
                names |= {entry.name.partition(".")[0] for entry in os.scandir(root) if _importable(entry)}
        self._declared = declared = {name.partition(".")[0] for name in modules}
        kept = TOOLS | (OURS - declared) | set(sys.builtin_module_names)
        self._owned = {name for name in names if name.isidentifier()} - kept
        self._taken = {name for name in self._owned if name in sys.stdlib_module_names or name in sys.modules}
        self._taken &= declared  # a folder called `test` does not hide Python's own module from the test file
        self._owned -= {name for name in self._owned if name in sys.stdlib_module_names} - declared
        self._workspace = workspace.rstrip(os.sep) + os.sep
        self._loaded: dict[str, ModuleType] = {}
        self._fresh: set[str] = set()
        self._import = builtins.__import__

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Of importlib's protocol."""
        del path, target
        top = name.partition(".")[0]
        if top not in self._owned or top in self._taken:
            return None
        return ModuleSpec(name, self)  # type: ignore[arg-type]  # as much of a loader as importlib uses

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Load a module in the subject."""
        __tracebackhide__ = True
        stub, doc, file, path = Current.link.request("load", spec.name)
        spec.submodule_search_locations = path
        stub.__doc__, stub.__file__ = doc, file
        if spec.name.partition(".")[0] not in self._declared:
            stub.__refute_tools__ = True
        self._fresh.add(spec.name)
        self._loaded[spec.name] = stub
        return stub  # type: ignore[no-any-return]

    def exec_module(self, module: ModuleType) -> None:
        """Nothing more on the first import; on a reload, reload it there."""
        if module.__name__ in self._fresh:
            self._fresh.discard(module.__name__)
        else:
            Current.link.request("reload", module)

    def install(self) -> None:
        """Take over what leads to the implementation's files."""
        sys.meta_path.insert(0, self)

    def builtins_of_tests(self) -> dict[str, Any]:
        """The built-in names that the test file sees."""
        guarded = {"__import__": self._import_for_tests, "eval": refuse, "exec": refuse, "compile": refuse}
        return {**vars(builtins), **guarded}

    def _import_for_tests(
        self,
        name: str,
        names: Mapping[str, object] | None = None,
        local: Mapping[str, object] | None = None,
        wanted: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        __tracebackhide__ = True
        top = name.partition(".")[0]
        if top in TOOLS & self._declared:
            Current.link.cannot(f"attacks {top}, which runs the tests")
        if level or top not in self._owned:
            return self._import(name, names, local, wanted or (), level)
        module = (
            self._taken_module(name, bool(wanted))
            if top in self._taken
            else self._import(name, names, local, wanted or (), 0)
        )
        if wanted and "*" in wanted:
            copy = ModuleType(module.__name__)
            copy.__dict__.update(self._brought(Current.link.request("star", module), names or {}))
            copy.__dict__["__all__"] = [key for key in copy.__dict__ if key not in vars(ModuleType("x"))]
            return copy
        return module

    def _brought(self, told: dict[str, Any], bound: Mapping[str, object]) -> dict[str, Any]:
        """What a star import binds: no module takes the place of one that the test has; Python's own are the driver's.

        Where another name of the test's, or a built-in one, gets a new meaning (`all`, `abs`), the subject decides.
        """
        brought = {}
        for name, value in told.items():
            if not isinstance(value, ModuleStub):
                brought[name] = value
            elif name not in bound:
                standard = (
                    is_standard(value.__name__) and value.__name__ not in self._owned and "." not in value.__name__
                )
                brought[name] = importlib.import_module(value.__name__) if standard else value
        known = {**vars(builtins), **bound}
        if any(isinstance(one, ModuleStub) or known.get(name, one) is not one for name, one in brought.items()):
            Current.link.judged_for_good()
        return brought

    def _taken_module(self, name: str, innermost: bool) -> ModuleType:  # noqa: FBT001  # as import asks
        """A module that is named like one that the driver itself uses."""
        parts = name.split(".")
        for count in range(1, len(parts) + 1):
            prefix = ".".join(parts[:count])
            if prefix not in self._loaded:
                spec = ModuleSpec(prefix, self)  # type: ignore[arg-type]
                module = importlib.util.module_from_spec(spec)
                self.exec_module(module)
        return self._loaded[name if innermost else parts[0]]


def _importable(entry: "os.DirEntry[str]") -> bool:
    return entry.is_dir() or entry.name.endswith((".py", ".so"))
