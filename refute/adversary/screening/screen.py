"""The screen: which generated tests may run. What proves nothing, mocks, or is unsafe is kept aside with its reason."""

import ast
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from refute.adversary.attack import Attack, AttackTest, Brief, Rejected, Screening
from refute.adversary.references import ImplementationUse
from refute.adversary.screening.checks import unchecked
from refute.adversary.screening.copies import copies, functions_of
from refute.adversary.screening.forbidden import Objections
from refute.adversary.screening.resolution import Resolution
from refute.adversary.screening.vocabulary import unknown, words_of
from refute.adversary.suite_source import SuiteSource, lines_of
from refute.python_syntax import FUNCTION, UNPARSABLE
from refute.scan.finding import Finding, Severity
from refute.scan.scanner import scan_python
from refute.ticket.record import Claim

Scan = Callable[[str, str], Sequence[Finding]]
MIN_QUOTE: Final = 8
"""Characters of a quote, unless the claim is shorter: one word of a claim grounds nothing."""
MIN_WORDS: Final = 3
"""Words and signs that ground a test however short they are: `n >= 1`."""
MAX_NAME: Final = 200


def screen(
    attack: Attack,
    brief: Brief,
    *,
    scan: Scan = scan_python,
    block_from: Severity = Severity.HIGH,
    allow_network: bool = False,
) -> Screening:
    """Sort out the tests that may not run.

    Args:
        attack: as the tester wrote it; hostile text.
        brief: of the ticket, with the limits of size and count.
        scan: the safety scanner for Python (path, source).
        block_from: findings of this severity reject the tests that they touch.
        allow_network: whether the person allowed hosts.

    Returns:
        The attack without the rejected functions, its source otherwise byte for byte as it was, and each rejected
        test with its reason.
    """
    try:
        suite = SuiteSource(attack.source)
    except UNPARSABLE as error:
        rejected = tuple(Rejected(test=test, reason=f"the file is not valid Python: {error}") for test in attack.tests)
        return Screening(attack=replace(attack, source="", tests=()), rejected=rejected)
    judge = _Judge(suite, brief, allow_network=allow_network)
    judge.dangers = [f for f in scan(attack.file_name, attack.source) if f.severity >= block_from]
    reasons = {id(test): judge.reason(test, attack.tests) for test in attack.tests}
    _limit(attack, brief, suite, reasons)
    kept = tuple(test for test in attack.tests if not reasons[id(test)])
    names = {test.name for test in kept}
    source = suite.without(name for name in suite.test_names if name not in names)
    return Screening(
        attack=replace(attack, source=source, tests=kept),
        rejected=tuple(Rejected(test=test, reason=reasons[id(test)]) for test in attack.tests if reasons[id(test)]),
    )


class _Judge:
    """Judges the tests of one file."""

    def __init__(self, suite: SuiteSource, brief: Brief, *, allow_network: bool) -> None:
        self._suite = suite
        self._claims = {claim.id: claim for claim in brief.ticket.claims}
        self._names = Resolution(suite.tree)
        self._objections = Objections(self._names, brief, allow_network=allow_network)
        self._use = ImplementationUse(suite.source, [source.module.name for source in brief.modules], brief.programs)
        self._brief, self._words = brief, words_of(brief)
        self._programs = brief.programs
        self._implementation = functions_of(brief.modules)
        self.dangers: Sequence[Finding] = ()

    def reason(self, test: AttackTest, tests: Sequence[AttackTest]) -> str:
        """Why a test may not run; empty where it may."""
        return next(self._reasons(test, tests), "")

    def _reasons(self, test: AttackTest, tests: Sequence[AttackTest]) -> Iterator[str]:
        claim = self._claims.get(test.claim_id)
        if claim is None:
            yield f"attacks claim {test.claim_id}, which the ticket does not make"
            return
        yield from _grounding(test, claim)
        functions = self._suite.functions(test.name)
        bindings = max(len(functions), self._suite.bindings(test.name))
        if len(functions) != 1 or bindings != 1 or sum(other.name == test.name for other in tests) != 1:
            yield f"expected one module-level function {test.name} in the file, got {bindings}"
            return
        function = functions[0]
        if not isinstance(function, ast.FunctionDef) or not test.name.startswith("test") or len(test.name) > MAX_NAME:
            yield "is not a test function that plain pytest runs"
            return
        if not self._use.refers(test.name):
            yield f"never runs {' or '.join(self._programs)}" if self._programs else "never uses the implementation"
        closure = self._suite.closure(test.name)
        yield from self._unsafe(closure)
        yield from self._objections.to(function, closure)
        yield from copies(closure, self._implementation)
        yield from unknown(closure, self._names, self._brief, self._words) if self._words is not None else ()
        yield from filter(None, [unchecked(closure, self._names)])

    def _unsafe(self, closure: Sequence[ast.stmt]) -> Iterator[str]:
        """Findings of the scanner on the lines that run with a test; one outside every function is everybody's."""
        spans = [lines_of(node) for node in closure]
        elsewhere = [lines_of(node) for node in self._suite.tree.body if isinstance(node, FUNCTION | ast.ClassDef)]
        for finding in self.dangers:
            ours = any(first <= finding.line <= last for first, last in spans)
            shared = not any(first <= finding.line <= last for first, last in elsewhere)
            if ours or shared:
                yield f"is dangerous ({finding.rule_id}): {finding.explanation}"


def _grounding(test: AttackTest, claim: Claim) -> Iterator[str]:
    """The quote must stand in the claim, and be enough of it to mean something."""
    quote, text = (unicodedata.normalize("NFKC", " ".join(words.split())) for words in (test.quote, claim.text))
    if not quote or quote not in text:
        yield f"quotes {test.quote[:80]!r}, which is not in claim {claim.id}"
    elif len(quote) < min(MIN_QUOTE, len(text)) and len(quote.split()) < MIN_WORDS:
        yield f"quotes only {quote!r} of claim {claim.id}"


def _limit(attack: Attack, brief: Brief, suite: SuiteSource, reasons: dict[int, str]) -> None:
    """Reject from the end what is beyond the limits of count and size."""
    kept = [test for test in attack.tests if not reasons[id(test)]]
    for test in kept[brief.max_tests :]:
        reasons[id(test)] = f"is beyond the limit of {brief.max_tests} tests"
    kept = kept[: brief.max_tests]
    while kept:
        names = {test.name for test in kept}
        size = len(suite.without(name for name in suite.test_names if name not in names).encode())
        if size <= brief.max_bytes:
            return
        reasons[id(kept.pop())] = f"the file is {size} bytes long, the limit is {brief.max_bytes}"
