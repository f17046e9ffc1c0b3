"""Planted violations: edits by a model that each break one clause. An attack that misses one does not test that clause.

Mutants measure lines; a suite may notice every mutant and never look at the half of a claim that its author forgot.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from refute.adversary.attack import Brief, SourceModule
from refute.adversary.generation.planting import WrittenViolation
from refute.adversary.references import body_of
from refute.adversary.strength.mutants import Mutant, unified
from refute.python_syntax import parsed_or_none
from refute.scan.finding import Severity
from refute.scan.scanner import scan_python
from refute.ticket.clauses import clauses_of
from refute.ticket.record import ClaimId

FIRST: Final = 10_001
"""Violations are numbered from here, mutants from 1."""
WITNESSES: Final = "test_witnesses.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """An edit of the implementation that is to break one clause."""

    claim_id: ClaimId
    clause: str
    """Its words."""
    behaviour: str
    """What the edited code does wrong, in the model's words."""
    mutant: Mutant
    witness: str
    """A test of the model's that passes on the code as submitted and fails on the edit: proof that they differ."""

    @property
    def witness_name(self) -> str:
        """Of its test."""
        return f"test_witness_{self.mutant.number}"


def plant(brief: Brief, written: Sequence[WrittenViolation]) -> tuple[Violation, ...]:
    """The edits that can be made: of a clause that exists, in a place that is certain, to code that parses and is safe.

    Args:
        brief: of the ticket.
        written: as the model answered; hostile text.
    """
    claims = {claim.id: clauses_of(claim.text) for claim in brief.ticket.claims}
    modules = {one.module.name: one for one in brief.modules}
    planted: list[Violation] = []
    for one in written:
        module, clauses = modules.get(one.module), claims.get(ClaimId(one.claim_id), ())
        if module is None or one.clause > len(clauses):
            continue
        number = FIRST + len(planted)
        mutant, witness = _edited(module, one, number), _renamed(one.witness, f"test_witness_{number}")
        if mutant is None or not witness or _dangers(WITNESSES, witness):
            continue
        if _dangers(mutant.path, mutant.source) <= _dangers(mutant.path, module.source):
            planted.append(
                Violation(
                    claim_id=ClaimId(one.claim_id),
                    clause=clauses[one.clause - 1],
                    behaviour=" ".join(one.behaviour.split()),
                    mutant=mutant,
                    witness=witness,
                )
            )
    return tuple(planted)


def _edited(module: SourceModule, written: WrittenViolation, number: int) -> Mutant | None:
    source, path = module.source, module.module.path
    before, found, _ = source.partition(written.original)
    if not found or source.count(written.original) != 1:
        return None
    edited = source.replace(written.original, written.replacement)
    was, becomes = parsed_or_none(source), parsed_or_none(edited)
    if was is None or becomes is None or ast.dump(was) == ast.dump(becomes):
        return None
    return Mutant(
        number=number,
        path=path,
        line=before.count("\n") + 1,
        change=" ".join(written.behaviour.split()),
        source=edited,
        diff=unified(source, edited, path),
    )


def _renamed(witness: str, name: str) -> str:
    """The only function of a witness under a name of ours; empty where it is anything else."""
    match body_of(witness):
        case [ast.FunctionDef(decorator_list=[], args=ast.arguments(args=[])) as function]:
            function.name = name
            return ast.unparse(function)
    return ""


def _dangers(path: str, source: str) -> set[tuple[str, str]]:
    return {(one.rule_id, one.matched) for one in scan_python(path, source) if one.severity >= Severity.HIGH}
