"""Claims about importing: that it works, and that it needs nothing but the standard library."""

import re
from collections.abc import Callable, Iterator

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
IMPORTED = "imported to its end"
"""Code that finds something missing may say so and exit as if all were well."""
_IMPORTABLE = re.compile(r"\bimport(?:s|ed|ing|able)?\b(?! (?:of|format|file|csv|data|record|order)\w*)", re.IGNORECASE)


def import_tests(claim: Claim, brief: Brief) -> Iterator[Draft]:
    """One test per implementation module, for a claim about importing."""
    for clause in clauses_of(claim.text):
        plain = " ".join(clause.split())
        if _ONLY_STANDARD.search(plain):
            yield from _drafts(claim, brief, clause, "imports the standard library only", _isolated)
        elif _IMPORTABLE.search(plain) and _names_a_module(plain, brief):
            yield from _drafts(claim, brief, clause, "imports", _plainly)


def _names_a_module(plain: str, brief: Brief) -> bool:
    names = {source.module.name for source in brief.modules}
    return any(re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", plain) for name in names)


def _drafts(
    claim: Claim, brief: Brief, quote: str, label: str, lines: Callable[[str], tuple[str, ...]]
) -> Iterator[Draft]:
    for source in brief.modules:
        yield Draft(
            claim=claim,
            quote=quote_of(claim, quote, label),
            category=Category.IMPORT,
            origin=Origin.PHRASE,
            label=label,
            detail=f"import {source.module.name}",
            body=lines(source.module.name),
        )


def _plainly(module: str) -> tuple[str, ...]:
    return (f"import {module}", f"assert {module} is not None")


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
