"""Implementation files as Python modules: which directory must be on `sys.path`, and what name imports them."""

import keyword
import re
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath

from refute.ticket.record import Kind, Module, Ticket

_ROOT = "."


def detect_import_roots(
    workspace: Path, implementation_files: Iterable[str], *, author_text: Callable[[], str] = str
) -> tuple[str, ...]:
    """The directories that must be on `sys.path` so that the implementation files can be imported.

    A file in a package (directories with `__init__.py`) is imported from above its topmost package. Outside a
    package the author is believed where an import in their text names the file by a dotted path (namespace packages);
    else `src/` is a root as such, and any other file is imported from its own directory, as when Python runs it.

    Args:
        workspace: absolute directory.
        implementation_files: POSIX paths relative to it.
        author_text: gives the text that shows how the author imports the modules; asked only where it matters.
    """
    roots: dict[str, None] = {}
    for path in implementation_files:
        if path.endswith(".py"):
            roots[_root_of(workspace, PurePosixPath(path), author_text)] = None
    return tuple(roots) or (_ROOT,)


def _root_of(workspace: Path, path: PurePosixPath, author_text: Callable[[], str]) -> str:
    directory = path.parent
    while str(directory) != _ROOT and (workspace / directory / "__init__.py").is_file():
        directory = directory.parent
    if str(directory) == _ROOT:
        return _ROOT
    text = author_text()
    for root in reversed(directory.parents):
        name = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        if _imports(name, text):
            return str(root)
    if "src" in directory.parts:
        return str(PurePosixPath(*directory.parts[: directory.parts.index("src") + 1]))
    return str(directory)


def _imports(name: str, text: str) -> bool:
    package, _, module = name.rpartition(".")
    dotted = rf"\b(?:import|from)\s+{re.escape(name)}\b"
    member = rf"\bfrom\s+{re.escape(package)}\s+import\s[^\n]{{0,500}}\b{re.escape(module)}\b"
    return bool(re.search(dotted, text) or re.search(member, text))


def module_name(path: str, import_roots: Iterable[str]) -> str | None:
    """The dotted name that imports a file, or None where no import statement can name it."""
    found = _module(path, import_roots) if path.endswith(".py") else None
    return found.name if isinstance(found, Module) else None


def implementation_modules(ticket: Ticket) -> tuple[Module, ...]:
    """The implementation files that can be imported, in the ticket's order."""
    found = (_module(path, ticket.import_roots) for path in ticket.implementation_files if path.endswith(".py"))
    return tuple(module for module in found if isinstance(module, Module))


def previous_module(ticket: Ticket) -> Module | None:
    """The ticket's `previous` version as a module beside the implementation; None where it cannot be imported."""
    if ticket.previous is None or not ticket.previous.endswith(".py") or ticket.kind is not Kind.PYTHON:
        return None
    found = _module(ticket.previous, ticket.import_roots)
    taken = {module.name for module in implementation_modules(ticket)}
    return found if isinstance(found, Module) and found.name not in taken else None


def other_form(path: str) -> str:
    """The path of a module before it became a package, or after."""
    package = path.endswith("/__init__.py")
    return f"{path.removesuffix('/__init__.py')}.py" if package else f"{path.removesuffix('.py')}/__init__.py"


def importability_faults(ticket: Ticket) -> tuple[str, ...]:
    """Why a `kind: python` ticket has nothing to import; empty where it has."""
    if ticket.kind is not Kind.PYTHON or implementation_modules(ticket):
        return ()
    python = [path for path in ticket.implementation_files if path.endswith(".py")]
    reasons = tuple(f"{path}: {_module(path, ticket.import_roots)}" for path in python)
    return reasons or ("got no .py file, expected at least one for kind: python",)


def _module(path: str, import_roots: Iterable[str]) -> Module | str:
    """A file as a module, or why no import statement can name it."""
    posix = PurePosixPath(path)
    above = [root for root in import_roots if posix.is_relative_to(root) and str(posix) != root]
    if not above:
        roots = ", ".join(import_roots)
        return f"lies under no import root (got {roots}), expected one above it"
    root = max(above, key=lambda name: len(PurePosixPath(name).parts))
    parts = list(posix.relative_to(root).with_suffix("").parts)
    if parts[-1] == "__main__":
        return "importing __main__.py would run the program"
    if parts[-1] == "__init__":
        parts.pop()
    if not parts:
        return "is the package that the import root stands in, expected an import root above it"
    for part in parts:
        if not part.isidentifier() or keyword.iskeyword(part):
            return f"{part!r} is no Python name, so no import statement can name it"
    return Module(path=path, name=".".join(parts))
