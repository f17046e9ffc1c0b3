"""Claims that importing needs nothing but the standard library."""

import re
from collections.abc import Iterator

from refute.adversary.attack import Brief, Category, Origin
from refute.adversary.property.draft import Draft, quote_of
from refute.ticket.clauses import clauses_of
from refute.ticket.record import Claim

_ONLY_STANDARD = re.compile(
    r"\b(?:nothing|no (?:\w+ )?(?:packages?|modules?|librar\w+|dependenc\w+))\b[^.]*\b(?:outside|"
    r"beyond|besides|except|other than|but)\b[^.]*\bstandard library"
    r"|\b(?:standard library only|only (?:uses? |needs? |depends on |imports? )?the (?:python "
    r")?standard library|stdlib only|pure stdlib)\b"
    r"|\b(?:uses|needs|requires|imports|depends on) only the (?:python )?standard library"
    r"|\b(?:no|without|zero|free of) (?:any )?(?:third[- ]party|external|further|additional|"
    r"extra) (?:packages?|dependenc\w+|librar\w+|imports?|modules?)"
    r"|\bplain python\b[^.]*\bwithout\b",
    re.IGNORECASE,
)
_LABEL = "imports the standard library only"
IMPORTED = "imported to its end"
"""Code that finds something missing may say so and exit as if all were well."""


def import_tests(claim: Claim, brief: Brief) -> Iterator[Draft]:
    """One test per implementation module, for a claim that it needs no other package."""
    for clause in clauses_of(claim.text):
        if _ONLY_STANDARD.search(" ".join(clause.split())):
            for source in brief.modules:
                yield Draft(
                    claim=claim,
                    quote=quote_of(claim, clause, _LABEL),
                    category=Category.IMPORT,
                    origin=Origin.PHRASE,
                    label=_LABEL,
                    detail=f"import {source.module.name}",
                    body=_isolated(source.module.name),
                )


def _isolated(module: str) -> tuple[str, ...]:
    """A fresh interpreter without site-packages: what is not in the standard library cannot be imported there."""
    return (
        # Where a program that a test starts finds the code, whoever runs the tests.
        "named = os.environ.get('PYTHONPATH', '').split(os.pathsep)",
        "roots = [path for path in (os.getcwd(), *named, *sys.path) if path and '-packages' not in path]",
        f"program = f'import sys; sys.path[:0] = {{roots!r}}; import {module}; print(\"{IMPORTED}\")'",
        (
            "ended = subprocess.run([sys.executable, '-I', '-S', '-c', program], capture_output=True, "
            "text=True, timeout=15, check=False)"
        ),
        f"assert ended.returncode == 0 and {IMPORTED!r} in ended.stdout, (ended.stdout + ended.stderr)[-2000:]",
    )
