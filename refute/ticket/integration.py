"""Claims that something was tested for real, exposed where the author's own tests mock their way out."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from refute.ticket.mocks import Mock
from refute.ticket.modules import implementation_modules
from refute.ticket.outside import Kind, kind_of
from refute.ticket.reach import Reach
from refute.ticket.record import ClaimId, Ticket
from refute.ticket.script import ScriptRun, what_runs
from refute.ticket.suite import Unit, read_python, read_units

_MAX_EVIDENCE: Final = 10
_MAX_CLAIM_CHARS: Final = 5_000
_TESTED: Final = re.compile(
    r"\b(?:(?:integration[- ]?)?test(?:s|ed|ing)?|verif(?:y|ies|ied)|exercis(?:e|es|ed)|prove[nd]|works?|working"
    r"|(?:un-?)?mock(?:s|ed|ing)?)\b",
    re.IGNORECASE,
)
_FOR_REAL: Final = (
    r"integration(?:[- ]?test\w*)?|end[- ]to[- ]end|e2e|(?:without|no|never)\b[^.;]{0,20}\bmock(?:s|ed|ing)?|un-?mocked"
    # With the system named: "verified against the actual content" is about behaviour, not about a test.
    r"|(?:real|actual|live|genuine)[ -](?:`?\w+`?[ -]){0,2}`?(?:system|sub-?process|process|command|binary|program"
    r"|executable|shell|git|repositor|server|database|db\b|service|api\b|endpoint|network|socket|http|file|disk|backend"
    r"|queue|broker|cluster|redis|postgres|mysql|sqlite|s3\b|bucket|container|docker|device|hardware|installation"
    r"|instance|environment|client|connection)\w*"
)
_SAID: Final = re.compile(rf"\b(?:{_FOR_REAL})\b", re.IGNORECASE)
_DENIED: Final = re.compile(
    r"\b(?:not|no|never|isn't|aren't|lacks?|lacking|missing|without|yet to be)\b[^.;]{0,20}"
    r"\b(?:integration|end[- ]to[- ]end|e2e|real|actual|live|genuine)",
    re.IGNORECASE,
)
_FILES: Final = re.compile(r"\b(?:files?|file-?systems?|disks?|director(?:y|ies)|folders?|paths?)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class MockEvidence:
    """A place where a test replaces what a claim says was tested for real."""

    path: str
    line: int
    what: str
    """The call as written."""
    claim_id: ClaimId


def claims_tested_integration(text: str) -> bool:
    """Whether a claim says that tests or a verification were real: integration, end to end, without mocks."""
    sentences = re.split(r"(?<=[.;!?])\s+", " ".join(text[:_MAX_CLAIM_CHARS].split()))
    return any(_SAID.search(one) and _TESTED.search(one) and not _DENIED.search(one) for one in sentences)


def find_mocked_integration(ticket: Ticket, files: Mapping[str, bytes]) -> tuple[MockEvidence, ...]:
    """Claims of tested integration that the author's own tests give the lie to.

    A claim is exposed only where a test that the verification script runs would reach something outside, but for its
    mocks, and no test and nothing else that the script starts gets past its mocks to anything outside.

    Args:
        ticket: with its claims.
        files: content of the snapshot.

    Returns:
        Evidence for each exposed claim, at most ten places each; empty where there is any doubt.
    """
    claims = [claim for claim in ticket.claims if claims_tested_integration(claim.text)]
    run = what_runs(ticket.verification_script, files) if claims else ScriptRun()
    if not claims or run.opaque or _started_for_real(ticket, run):
        return ()
    units = _units(run, files)
    if units is None:
        return ()
    said = " ".join(claim.text for claim in claims)[:_MAX_CLAIM_CHARS]
    mocks = sorted(_replacing(ticket, files, units, with_files=_FILES.search(said) is not None))
    return tuple(
        MockEvidence(path=mock.path, line=mock.line, what=mock.what, claim_id=claim.id)
        for claim in claims
        for mock in mocks[:_MAX_EVIDENCE]
    )


def _units(run: ScriptRun, files: Mapping[str, bytes]) -> list[Unit] | None:
    """All that runs; None where one of the files cannot be read."""
    inline = {f"<line {line}>": code.encode("utf-8", "replace") for line, code in run.code}
    programs = {*inline, *(path for path, _ in run.programs)}
    found: list[Unit] = []
    for path in (*sorted(run.tests), *inline):
        units = read_units(path, {**files, **inline}, left_out=run.deselected, as_program=path in programs)
        if units is None:
            return None
        found += units
    return found


def _started_for_real(ticket: Ticket, run: ScriptRun) -> bool:
    """Whether the script starts the implementation itself, for more than its help."""
    names = {module.name for module in implementation_modules(ticket)}
    names |= {*ticket.implementation_files, *(name.partition(".")[0] for name in names)}
    return any(not only_help and program in names for program, only_help in run.programs)


def _replacing(ticket: Ticket, files: Mapping[str, bytes], units: Sequence[Unit], *, with_files: bool) -> set[Mock]:
    """What stands in for something outside; empty where a test gets through."""
    modules = implementation_modules(ticket)
    trees = [tree for module in modules if (tree := read_python(files.get(module.path, b""))) is not None]
    if len(trees) < len(modules):
        return set()
    own = {module.name.partition(".")[0] for module in modules}
    reach = Reach(trees, own, [mock for unit in units for mock in unit.mocks], with_files=with_files)
    names = sorted((module.name for module in modules), key=len, reverse=True)
    programs = {PurePosixPath(path).name for path in ticket.implementation_files}
    found: set[Mock] = set()
    for unit in units:
        touched = _touched(unit, names)
        named = any(program in text for program in programs for text in unit.texts)
        replaced = any(not mock.argument for mock in unit.mocks)
        starts = named and Kind.PROCESS in map(kind_of, unit.references) and not replaced
        if starts or reach.of(touched, unit.mocks):
            return set()
        behind = reach.of(touched)
        found |= {mock for mock in unit.mocks if behind - reach.of(touched, [mock])}
    return found


def _touched(unit: Unit, modules: Sequence[str]) -> set[str]:
    """Every part of the names that a test mentions, where it mentions the implementation or its package at all."""
    ends = {part for name in modules for part in (name.partition(".")[0], name.rpartition(".")[2])}
    parts, touched = set[str](), set[str]()
    for name in unit.references:
        parts.update(name.split("."))
        # A function may be called like its module, so the module's own name says nothing.
        module = next((one for one in modules if f"{name}.".startswith(f"{one}.")), "")
        touched.update(name.removeprefix(module).split("."))
    return set() if parts.isdisjoint(ends) else touched
