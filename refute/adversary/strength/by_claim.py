"""Claim by claim: do the tests that a pass would rest on notice hollow code?

Both variants are to be noticed: wrong answers of the right kind, and errors of a kind that nobody claimed. A claim that
nothing goes wrong promises no answer: there it is enough to notice failing. Claims whose tests look at what cannot be
hollowed out (constants, fields of a class) are not judged.
"""

import ast
from collections.abc import Callable, Mapping
from typing import Final

from refute.adversary.attack import Brief, TestEnd, TestRun
from refute.adversary.promises import promised
from refute.adversary.references import defined, mentioned
from refute.adversary.strength.hollow import FAILING, OTHERWISE
from refute.adversary.strength.record import ShallowClaim
from refute.adversary.strength.trial import Trial, VariantRun
from refute.adversary.suite_source import SuiteSource
from refute.python_syntax import parsed_or_none

SAY_WHAT: Final = (
    "say in the claim what comes out (a value for an input, the name of an error), or have a model write tests"
)
SAY_ERROR: Final = "name the error in the claim, and expect it and no other"


def shallow_claims(
    trial: Trial, brief: Brief, runs: Mapping[str, VariantRun], noticed: Callable[[TestRun], bool]
) -> tuple[tuple[ShallowClaim, ...], str]:
    """Claims that are not attacked strongly; and why that could not be seen, empty where it could.

    Args:
        trial: what was run.
        brief: of the ticket.
        runs: by variant.
        noticed: whether a test failed because of what the code does.
    """
    for name in trial.hollow:
        if reason := useless(runs.get(name)):
            return (), f"{name}: {reason}"
    ends = {name: {test.name: test for test in runs[name].tests} for name in trial.hollow}
    fixed, suite = _fixed(brief), SuiteSource(trial.attack.source)
    told = []
    for claim in brief.ticket.claims if trial.hollow else ():
        tests = trial.witnesses.get(claim.id, ())
        failing, otherwise = (
            [ends[name][test] for test in tests if test in ends[name]] for name in (FAILING, OTHERWISE)
        )
        answers, errors = any(map(noticed, otherwise)), any(map(noticed, failing))
        swallowed = len(failing) == len(tests) and all(one.end is TestEnd.PASSED for one in failing)
        enough = not swallowed if answers else errors and promised(claim.text)
        if tests and not enough and all(fixed.isdisjoint(_mentioned(suite, test)) for test in tests):
            part = "program" if brief.programs else "function"
            where = f"where every {part} answers otherwise" if errors else f"whatever every {part} does"
            odd = next((one for one in otherwise if one.end is not TestEnd.PASSED), None)
            stuck = f"or come to no end ({odd.name} {odd.end.value.replace('_', ' ')}), " if odd else ""
            unnoticed = f"where every {part} fails with another error" if answers else f"{stuck}{where}"
            remedy = SAY_ERROR if answers else SAY_WHAT
            told.append(ShallowClaim(claim_id=claim.id, tests=tests, unnoticed=unnoticed, remedy=remedy))
    return tuple(told), ""


def useless(run: VariantRun | None) -> str:
    """Why nothing can be learnt from how tests ended on a variant; empty where something can."""
    if run is None:
        return "its time was over before, or its container was lost"
    if run.tampering:
        return run.tampering[0]
    imports = (test for test in run.tests if test.raised_in_implementation and not test.reached_implementation)
    return "cannot be imported" if any(imports) else ""


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
