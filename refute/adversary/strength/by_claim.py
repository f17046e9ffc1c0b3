"""Claim by claim: do the tests that a pass would rest on notice code that does nothing of what it should?

To notice code that does harm and gives what means nothing is asked of every claim. To notice code that fails is enough
for claims that nothing goes wrong, and is asked of claims that name an error. Claims whose tests look at what cannot be
hollowed out (constants, fields of a class) are not judged.
"""

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Final

from refute.adversary.attack import Brief, TestEnd, TestRun
from refute.adversary.promises import (
    ENDING,
    ENDING_WITHIN,
    ERROR_NAME,
    EXIT,
    MEMORY,
    RAISING,
    RECURSION,
    SAMENESS,
    confined,
)
from refute.adversary.references import defined, mentioned
from refute.adversary.strength.hollow import FAILING, GARBLED, MEANINGLESS
from refute.adversary.strength.record import ShallowClaim
from refute.adversary.strength.trial import Trial, VariantRun
from refute.adversary.suite_source import SuiteSource
from refute.python_syntax import parsed_or_none
from refute.ticket.record import Claim

GOES_WELL: Final = re.compile(
    r"\b(?:accept(?:s|ed)|tolerat(?:es|ed)|succeeds?|harmless|gracefully|no-?op|does nothing|no effect|tracebacks?)\b"
    r"|\b(?:never|not)\s+(?:\w+\s+)?None\b|\b(?:can|may) be (?:called|closed|used|run|entered)\b|\bsafe to\b"
    r"|\bexit(?:s|\s+(?:code|status))?\b[^.;]{0,20}\b(?:0|zero)\b|\b(?:code|status)\s+(?:0|zero)\b",
    re.IGNORECASE,
)
"""Claims that something goes through; what comes out is not said."""
ELSEWHERE: Final = re.compile(
    r"\bimport|\bstandard library\b|\bthird[- ]party\b|\bdependenc|\bnetwork\b|\boffline\b|\bglobal state\b"
    r"|\benvironment variables?\b|\bno side effects?\b",
    re.IGNORECASE,
)
"""Claims about what is beside the results."""
FORM: Final = re.compile(
    r"docstring|annotat|\btype hints?\b|\bsignature|\bexports?\b|\b__\w+__|\bsubclass|\binherits?\b|\bderives?\b"
    r"|\bcallable\b|\bprovides\b|\bdefines\b",
    re.IGNORECASE,
)
"""Claims about how the code is made, which is the same where it does nothing."""
_KIND: Final = (
    r"(?:list|tuple|set|frozenset|dict(?:ionary)?|str(?:ing)?|text|int(?:eger)?|float|number|bool(?:ean)?|bytes|generator"
    r"|iterator|type|instance|object)s?"
)
ONLY_KIND: Final = re.compile(
    r"(?:\S+\s+){1,5}?(?:(?:always|only|just)\s+)?(?:returns?|gives?|yields?|is|are|results? in)\s+"
    rf"(?:(?:always|only)\s+)?(?:an?\s+|the\s+)?(?:new\s+)?`?{_KIND}`?(?:\s+of\s+`?\w+`?|\[[\w, \[\]|]+\]`?)?\W*\Z",
    re.IGNORECASE,
)
"""Claims that say what kind of thing comes back, and no more."""
NOT_EMPTY: Final = re.compile(
    r"\b(?:never|not|non)[\s-]+(?:be\s+)?(?:empty|blank)|\bat least (?:one|1)\b|\btruthy\b", re.IGNORECASE
)
"""Claims that something comes back; wrong answers are never nothing, so no test of these notices them."""
ANY_ERROR: Final = frozenset({"BaseException"})
LIBRARY_TROUBLE: Final = re.compile(r"hypothesis\.errors\.(?:DeadlineExceeded|FailedHealthCheck)\Z")
SAY_WHAT: Final = (
    "say in the claim what comes out (a value for an input, the name of an error), or have a model write tests"
)
SAY_ERROR: Final = "expect the error that the claim names, and no other"
SEE_TESTS: Final = "have its tests end by themselves also where the code does nothing"


def shallow_claims(trial: Trial, brief: Brief, runs: Mapping[str, VariantRun]) -> tuple[tuple[ShallowClaim, ...], str]:
    """Claims that are not attacked strongly; and why that could not be seen, empty where it could.

    Args:
        trial: what was run.
        brief: of the ticket.
        runs: by variant.
    """
    if not trial.hollow:
        return (), ""
    needed = [FAILING, MEANINGLESS, *(name for name in GARBLED if name in trial.hollow)]
    for name in needed:
        if reason := _useless(trial, runs.get(name)):
            return (), f"{name}: {reason}"
    ends = {name: {test.name: test for test in runs[name].tests} for name in needed}
    fixed = _Fixed(trial, brief)
    part = "program" if brief.programs else "function"
    judged = [
        _Witnesses(claim, trial.witnesses[claim.id], ends, fixed, part=part).shallow()
        for claim in brief.ticket.claims
        if trial.witnesses.get(claim.id)
    ]
    return tuple(one for one in judged if one is not None), ""


def _useless(trial: Trial, run: VariantRun | None) -> str:
    if run is None:
        return "its time was over before, or its container was lost"
    if run.tampering:
        return run.tampering[0]
    probe = next((test for test in run.tests if test.name == trial.probe), None)
    if trial.probe and (probe is None or probe.end is not TestEnd.PASSED):
        return "cannot be imported"
    return ""


class _Witnesses:
    """The tests of one claim that a pass would rest on.

    Args:
        claim: theirs.
        tests: their names.
        ends: how all tests end on code that fails, and on code that gives what means nothing.
        fixed: says of tests whether they look at what cannot be hollowed out.
        part: of the code, which was hollowed out: `function`.
    """

    def __init__(
        self,
        claim: Claim,
        tests: Sequence[str],
        ends: Mapping[str, Mapping[str, TestRun]],
        fixed: "_Fixed",
        *,
        part: str,
    ) -> None:
        self._claim = claim
        self._tests = tests
        self._failing = [ends[FAILING].get(name) for name in tests]
        self._meaningless = [ends[MEANINGLESS].get(name) for name in tests]
        self._garbled = [ends[variant].get(name) for variant in GARBLED if variant in ends for name in tests]
        self._fixed = fixed
        self._part = part

    def shallow(self) -> ShallowClaim | None:
        """Why the claim is not attacked strongly; None where it is."""
        text = self._claim.text
        if any(map(_noticed, self._meaningless)):
            swallowed = _names_error(text) and all(map(_passed, self._failing))
            failing = f"where every {self._part} fails with another error"
            return self._told(failing, SAY_ERROR) if swallowed else self._of_kind(text)
        if any(map(_noticed, self._failing)) and (_goes_well(text) or ELSEWHERE.search(text)):
            return None
        if any(map(self._looks_at_fixed, range(len(self._tests)))):
            return None
        if not all(map(_passed, self._meaningless)):
            return self._told(f"or come to no end ({self._odd()}), where no {self._part} does its work", SEE_TESTS)
        if any(map(_noticed, self._failing)):
            return self._told(f"where every {self._part} gives something meaningless", SAY_WHAT)
        beside = ELSEWHERE.search(text) or FORM.search(text)
        return (
            None
            if beside
            else self._told(f"whatever the {self._part}s do: they use none, or hide how it ends", SAY_WHAT)
        )

    def _of_kind(self, text: str) -> ShallowClaim | None:
        """Why tests that notice what means nothing still look at no more than the kind of what comes back."""
        sees_no_more = bool(self._garbled) and all(map(_passed, self._garbled))
        words = (SAMENESS, ELSEWHERE, FORM, NOT_EMPTY)
        may = any(one.search(text) for one in words) or ONLY_KIND.match(text) or _goes_well(text)
        if not sees_no_more or may or any(map(self._looks_at_fixed, range(len(self._tests)))):
            return None
        return self._told(f"where every {self._part} gives something else of the same kind", SAY_WHAT)

    def _told(self, unnoticed: str, remedy: str) -> ShallowClaim:
        return ShallowClaim(claim_id=self._claim.id, tests=tuple(self._tests), unnoticed=unnoticed, remedy=remedy)

    def _looks_at_fixed(self, number: int) -> bool:
        both = _passed(self._failing[number]) and _passed(self._meaningless[number])
        return both and self._fixed.looked_at_by(self._tests[number])

    def _odd(self) -> str:
        odd = next(one for one in self._meaningless if not _passed(one))
        return f"{odd.name} {odd.end.value.replace('_', ' ')}" if odd else "not every test was run"


class _Fixed:
    """What cannot be hollowed out: names bound in modules and classes otherwise than by functions.

    Args:
        trial: holds the tests.
        brief: of the ticket.
    """

    def __init__(self, trial: Trial, brief: Brief) -> None:
        self._suite = SuiteSource(trial.attack.source)
        self._names = {name for one in brief.modules for name in _fixed_names(one.source)}

    def looked_at_by(self, test: str) -> bool:
        """Whether a test, or what it uses of its file, names such a thing."""
        return bool(self._names) and not self._names.isdisjoint(_names_in(self._suite, test))


def _names_in(suite: SuiteSource, test: str) -> set[str]:
    """Names, attributes and words of a test; where it was imported under another name, the one that it has."""
    names = {name for statement in suite.closure(test) for name in mentioned(statement)}
    bound = (alias for node in ast.walk(suite.tree) if isinstance(node, ast.ImportFrom) for alias in node.names)
    return names | {alias.name for alias in bound if alias.asname in names}


def _fixed_names(source: str) -> set[str]:
    """Constants, fields, and classes that have such or that others make: a base, a decorator."""
    tree = parsed_or_none(source)
    names: set[str] = set()
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Module | ast.ClassDef):
            bound = {name for one in node.body if isinstance(one, ast.Assign | ast.AnnAssign) for name in defined(one)}
            names |= bound
            if isinstance(node, ast.ClassDef) and (bound or node.bases or node.decorator_list):
                names.add(node.name)
    return names


def _names_error(text: str) -> bool:
    return bool(set(ERROR_NAME.findall(text)) - ANY_ERROR)


def _goes_well(text: str) -> bool:
    words = (RAISING, EXIT, ENDING, ENDING_WITHIN, MEMORY, RECURSION, GOES_WELL)
    return any(one.search(text) for one in words)


def _noticed(run: TestRun | None) -> bool:
    """Whether a test failed because of what the code does; not by a limit, nor by what could not be carried."""
    if run is None or run.end is not TestEnd.FAILED or run.not_carried or confined(run):
        return False
    return LIBRARY_TROUBLE.match(run.error_type) is None


def _passed(run: TestRun | None) -> bool:
    return run is not None and run.end is TestEnd.PASSED
