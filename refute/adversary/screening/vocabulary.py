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


class Vocabulary:
    """The words of a ticket's code and claims.

    Args:
        brief: of the ticket.
    """

    def __init__(self, brief: Brief) -> None:
        self._modules = {source.module.name for source in brief.modules}
        self._open = any(OPEN.search(source.source) for source in brief.modules) or not all(
            source.source.strip() for source in brief.modules
        )
        ticket = brief.ticket
        told = [claim.text for claim in ticket.claims] + [one for claim in ticket.claims for one in claim.examples]
        self._words = _words(
            [*(source.source for source in brief.modules), *told, *brief.workspace_paths, *self._modules]
        )

    def unknown(self, closure: Iterable[ast.stmt], names: Resolution) -> Iterator[str]:
        """Why a test may not run: each name of an implementation module that neither its code nor a claim has.

        Args:
            closure: every statement that runs with it.
            names: resolves the file's names.
        """
        for statement in closure if not self._open else ():
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
                    if module in self._modules and not name.startswith("__") and name not in self._words:
                        yield f"uses {module}.{name}, which neither the code nor a claim knows"


def _words(texts: Iterable[str]) -> set[str]:
    """Identifiers as Python reads them: in their normal form."""
    return {word for text in texts for word in WORD.findall(unicodedata.normalize("NFKC", text))}
