"""Names that a test takes from the implementation although nothing speaks of them: its writer made them up.

A test that expects just any error is content with the one for a name that does not exist; any other one fails by
itself, on right code too.
"""

import ast
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

from refute.adversary.attack import Brief
from refute.adversary.screening.resolution import Resolution

WORD: Final = re.compile(r"[^\W\d]\w*")
OPEN: Final = re.compile(
    r"import\s*\(?\s*\*|__getattr__|\bglobals\b|\bsetattr\b|\b(?:exec|eval)\b|__dict__|\bvars\b|__import__|importlib"
)
"""By which a module may have names that its text does not show."""


def words_of(brief: Brief) -> frozenset[str] | None:
    """The words of a ticket's code and claims; None where code may have names that its text does not show."""
    sources = [one.source for one in brief.modules]
    if not all(map(str.strip, sources)) or any(map(OPEN.search, sources)):
        return None
    told = [text for claim in brief.ticket.claims for text in (claim.text, *claim.examples)]
    texts = [*sources, *told, *brief.workspace_paths, *(one.module.name for one in brief.modules)]
    return frozenset(word for text in texts for word in WORD.findall(unicodedata.normalize("NFKC", text)))


def unknown(closure: Iterable[ast.stmt], names: Resolution, brief: Brief, words: frozenset[str]) -> Iterator[str]:
    """Why a test may not run: each name of an implementation module that neither its code nor a claim has.

    Args:
        closure: every statement that runs with it.
        names: resolves the file's names.
        brief: of the ticket.
        words: as `words_of` gives them.
    """
    modules = {one.module.name for one in brief.modules}
    for statement in closure:
        seen = names.within(statement)
        for node in ast.walk(statement):
            match node:
                case ast.Attribute():
                    told = [seen.dotted(node)]
                case ast.ImportFrom(module=str(module), names=aliases, level=0):
                    told = [f"{module}.{alias.name}" for alias in aliases if alias.name != "*"]
                case _:
                    continue
            for module, _, name in (dotted.rpartition(".") for dotted in told):
                if module in modules and not name.startswith("__") and name not in words:
                    yield f"uses {module}.{name}, which neither the code nor a claim knows"
