"""An attack's tests as files of the repository: plain pytest, without refute, as regression tests."""

import ast
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from refute.adversary.attack import TriageVerdict
from refute.adversary.suite_source import SuiteSource, lines_of
from refute.errors import UsageError
from refute.guardrails.plain_text import printable
from refute.outcome import Outcome
from refute.python_syntax import python_lines
from refute.recording import attack_name
from refute.ticket.record import Ticket

FIRST_LINE: Final = "# Kept by `refute verify --tests-out`"
"""Begins every file of ours, so that no other is overwritten."""
SET_UP: Final = """\
import os as _os
import sys as _sys
from pathlib import Path as _Path

import pytest as _pytest

_WORKSPACE = (_Path(__file__).parent / {up!r}).resolve()
_sys.path[:0] = [str(_WORKSPACE / root) for root in {roots!r}]


@_pytest.fixture(autouse=True, scope="module")
def _in_workspace():
    before = _os.getcwd()
    _os.chdir(_WORKSPACE)
    yield
    _os.chdir(before)


"""


def keep_tests(outcome: Outcome, ticket: Ticket, directory: Path) -> Path | None:
    """Write the tests that passed or refuted a claim; None where there are none.

    Args:
        outcome: of the run.
        ticket: that it verified.
        directory: made where it is missing.

    Raises:
        UsageError: a file that is not ours has the name, or it cannot be written.
    """
    useful = {one.name for one in outcome.tests if one.verdict in {TriageVerdict.SURVIVED, TriageVerdict.REFUTED}}
    if not outcome.adversarial_tests or not useful:
        return None
    suite = SuiteSource(outcome.adversarial_tests)
    source = SuiteSource(suite.without(set(suite.test_names) - useful))
    path = directory / attack_name(outcome)
    up = os.path.relpath(ticket.workspace, directory.resolve())
    set_up = SET_UP.format(up=up, roots=list(ticket.import_roots))
    text = "\n".join(_header(outcome)) + f"\n{_with(set_up, source)}"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.read_bytes().startswith(FIRST_LINE.encode()):
            raise UsageError(f"{path}: exists and was not written by refute", hint="Name another directory.")
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}", hint="Name another directory.") from error
    return path


def _header(outcome: Outcome) -> Iterator[str]:
    yield f"{FIRST_LINE}; a later run with the same directory writes it anew."
    yield f"# Ticket {outcome.ticket_id}, {outcome.status}; files {outcome.provenance.snapshot_digest}."
    yield f"# Written by the tester {outcome.provenance.tester}. Needs pytest and hypothesis: pytest THIS_FILE"
    for claim in outcome.claims:
        yield f"# {claim.claim_id} {claim.verdict}: {printable(claim.text, keep_newlines=False)}"


def _with(set_up: str, source: SuiteSource) -> str:
    """The tests with what they need to find the code, behind docstring and `__future__`."""
    rest = next((node for node in source.tree.body if not _comes_first(node)), None)
    lines = python_lines(source.source, keep_ends=True)
    first = lines_of(rest)[0] - 1 if rest is not None else len(lines)
    return "".join([*lines[:first], set_up, *lines[first:]])


def _comes_first(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(value=ast.Constant()) | ast.ImportFrom(module="__future__"):
            return True
        case _:
            return False
