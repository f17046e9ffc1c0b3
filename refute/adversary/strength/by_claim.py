"""Claim by claim: do the tests that a pass would rest on notice hollow code?

Both variants are to be noticed: wrong answers of the right kind, and errors of a kind that nobody claimed. A claim that
nothing goes wrong promises no answer: there it is enough to notice failing. Claims whose tests look at what cannot be
hollowed out (constants, fields of a class) are not judged.
"""

import ast
import re
from collections.abc import Iterable, Mapping
from typing import Final

from refute.adversary.attack import Brief, TestEnd, TestRun
from refute.adversary.promises import confined, promised
from refute.adversary.references import defined, mentioned
from refute.adversary.strength.hollow import FAILING, OTHERWISE
from refute.adversary.strength.record import ShallowClaim
from refute.adversary.strength.trial import Trial, VariantRun
from refute.adversary.suite_source import SuiteSource
from refute.python_syntax import parsed_or_none
from refute.ticket.record import Claim

LIBRARY_TROUBLE: Final = re.compile(r"hypothesis\.errors\.(?:DeadlineExceeded|FailedHealthCheck|Unsatisf\w+)\Z")
SAY_WHAT: Final = (
    "say in the claim what comes out (a value for an input, the name of an error), or have a model write tests"
)
SAY_ERROR: Final = "name the error in the claim, and expect it and no other"


def shallow_claims(trial: Trial, brief: Brief, runs: Mapping[str, VariantRun]) -> tuple[tuple[ShallowClaim, ...], str]:
    """Claims that are not attacked strongly; and why that could not be seen, empty where it could.

    Args:
        trial: what was run.
        brief: of the ticket.
        runs: by variant.
    """
    for name in trial.hollow:
        if reason := _useless(trial, runs.get(name)):
            return (), f"{name}: {reason}"
    ends = {name: {test.name: test for test in runs[name].tests} for name in trial.hollow}
    fixed, suite = _fixed(brief), SuiteSource(trial.attack.source)
    told = []
    for claim in brief.ticket.claims if trial.hollow else ():
        tests = trial.witnesses.get(claim.id, ())
        failing, otherwise = ([ends[name].get(test) for test in tests] for name in (FAILING, OTHERWISE))
        unnoticed, remedy = _unnoticed(claim, failing, otherwise, "program" if brief.programs else "function")
        if unnoticed and tests and all(fixed.isdisjoint(_mentioned(suite, test)) for test in tests):
            told.append(ShallowClaim(claim_id=claim.id, tests=tests, unnoticed=unnoticed, remedy=remedy))
    return tuple(told), ""


def _useless(trial: Trial, run: VariantRun | None) -> str:
    if run is None:
        return "its time was over before, or its container was lost"
    if run.tampering:
        return run.tampering[0]
    probe = next((test for test in run.tests if test.name == trial.probe), None)
    if trial.probe and (probe is None or probe.end is not TestEnd.PASSED):
        return "cannot be imported"
    return ""


def _unnoticed(
    claim: Claim, failing: Iterable[TestRun | None], otherwise: Iterable[TestRun | None], part: str
) -> tuple[str, str]:
    """What a claim's tests pass on, and what would help; empty where they notice what they should."""
    answers, errors = any(map(_noticed, otherwise)), any(map(_noticed, failing))
    if answers:
        swallowed = all(one is not None and one.end is TestEnd.PASSED for one in failing)
        return (f"where every {part} fails with another error", SAY_ERROR) if swallowed else ("", "")
    if errors and promised(claim.text):
        return "", ""
    odd = next((one for one in otherwise if one is None or one.end is not TestEnd.PASSED), None)
    stuck = f"or come to no end ({odd.name} {odd.end.value.replace('_', ' ')}), " if odd else ""
    where = f"where every {part} answers otherwise" if errors else f"whatever every {part} does"
    return f"{stuck}{where}", SAY_WHAT


def _fixed(brief: Brief) -> set[str]:
    """What cannot be hollowed out: constants, fields, classes that have such, or bases or decorators."""
    names: set[str] = set()
    trees = () if brief.programs else filter(None, (parsed_or_none(one.source) for one in brief.modules))
    for node in (part for tree in trees for part in ast.walk(tree) if isinstance(part, ast.Module | ast.ClassDef)):
        bound = [name for one in node.body if isinstance(one, ast.Assign | ast.AnnAssign) for name in defined(one)]
        names.update(bound)
        if isinstance(node, ast.ClassDef) and (bound or node.bases or node.decorator_list):
            names.add(node.name)
    return names


def _mentioned(suite: SuiteSource, test: str) -> set[str]:
    """Every name in a test and in what it uses of its file, imports under other names too."""
    names = {name for statement in suite.closure(test) for name in mentioned(statement)}
    imports = [alias for node in ast.walk(suite.tree) if isinstance(node, ast.ImportFrom) for alias in node.names]
    return names | {alias.name for alias in imports if alias.asname in names}


def _noticed(run: TestRun | None) -> bool:
    """Whether a test failed because of what the code does; not by a limit, nor by what could not be carried."""
    if run is None or run.end is not TestEnd.FAILED or run.not_carried or confined(run):
        return False
    return LIBRARY_TROUBLE.match(run.error_type) is None
