"""Whether a run is left to chance: code or tests that name a clock, random numbers or threads, claims of a time.

None of these is in a key. What a library does behind other names is not seen; the age of cached results bounds that.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final

from refute.adversary.attack import Brief
from refute.adversary.judgement.chance import named_chance
from refute.adversary.promises import promised
from refute.python_syntax import parsed_or_none

MOST_FILES: Final = 200
"""Files that are read; of code that imports more of the ticket's files nothing is said."""


def left_to_chance(brief: Brief, attack_source: str, contents: Mapping[str, bytes]) -> str:
    """What says openly that a run hangs on clock, chance or the machine's speed; empty where nothing does.

    Args:
        brief: of the ticket.
        attack_source: the tests.
        contents: of the ticket's files, by path; those that the implementation imports are read too.
    """
    for claim in brief.ticket.claims:
        if promised(claim.text, "within"):
            return f"claim {claim.id} promises a time"
    tree = parsed_or_none(attack_source)
    named = set(named_chance([tree])) if tree else {"tests that cannot be read"}
    for path, module in _imported(brief.ticket.implementation_files, contents):
        named |= set(named_chance([module])) if module else {f"{path}, which cannot be read"}
    return f"it uses {min(named)}" if named else ""


def _imported(start: Iterable[str], contents: Mapping[str, bytes]) -> Iterator[tuple[str, ast.Module | None]]:
    """The implementation and the ticket's files that it may import, by the last parts of their names."""
    by_name: dict[str, list[str]] = {}
    for path in contents:
        if path.endswith(".py"):
            pure = PurePosixPath(path)
            by_name.setdefault(pure.parent.name if pure.stem == "__init__" else pure.stem, []).append(path)
    waiting = list(dict.fromkeys(start))
    for count, path in enumerate(waiting):  # it grows while it is walked
        tree = parsed_or_none(contents.get(path, b"")) if count < MOST_FILES else None
        yield path, tree
        if tree is None:
            return
        names = {name for node in ast.walk(tree) for name in _names(node)}
        waiting += [other for name in names for other in by_name.get(name, ()) if other not in waiting]


def _names(node: ast.AST) -> Iterator[str]:
    """Every part of every name that an import statement mentions."""
    match node:
        case ast.Import(names=aliases):
            yield from (part for alias in aliases for part in alias.name.split("."))
        case ast.ImportFrom(module=module, names=aliases):
            yield from (module or "").split(".")
            yield from (alias.name for alias in aliases)
        case _:
            return
