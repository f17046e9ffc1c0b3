"""What a weak or missing verdict says that a person can do."""

from dataclasses import replace
from typing import Any

import pytest

from refute.outcome import ClaimResult, ClaimVerdict, Status
from refute.ticket.record import ClaimId, Kind
from reports.next_steps import STEPS_SHOWN, next_steps


def claim(verdict: ClaimVerdict, **facts: Any) -> ClaimResult:
    return ClaimResult(claim_id=ClaimId("C1"), text="x", verdict=verdict, **{"reason": "r", **facts})


SURVIVED, IN_PART = ClaimVerdict.SURVIVED, ClaimVerdict.SURVIVED_IN_PART


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (
            claim(ClaimVerdict.UNTESTED, reason='nothing; add  same_as: {f: "sum"}'),
            'give it a field: same_as: {f: "sum"}',
        ),
        (claim(ClaimVerdict.UNTESTED, reason="is async: write `asyncio.run(f())`"), "write `asyncio.run(f())` in its"),
        (claim(ClaimVerdict.UNTESTED), "state the expected result, with independent evidence"),
        (claim(IN_PART, open_clauses=("never two", "x")), 'make "never two" a claim of its own'),
        (claim(IN_PART, open_clauses=("never two", "unchanged, f")), "unchanged, f: no inputs can be made for it"),
        (claim(SURVIVED, tests_run=1), "only the author's tests passed; add independent evidence"),
        (claim(SURVIVED, tests_run=1, doubt="x asks the code"), "only the author's tests passed (x asks the code)"),
        (claim(ClaimVerdict.UNTESTED, reason="property: given n: got 'n'"), "mend its field: property: given n: got"),
        (claim(ClaimVerdict.UNTESTED, reason="same_as, f: no inputs"), "mend its field: same_as, f: no inputs"),
        (claim(SURVIVED, tests_run=1, independent_tests=1), "say what one call returns, as plain data"),
        (claim(ClaimVerdict.INCONCLUSIVE, decided_by="test_a"), "look at test_a"),
    ],
)
def test_each_claim_that_keeps_a_ticket_from_passing_has_one_step(outcomes, one, said):
    told = ("C1: unchanged, f is not tested: no inputs can be made for it",)
    weak = replace(outcomes["pass_weak"], claims=(one,), strength=None, caveats=told)
    assert next_steps(weak)[0].startswith(f"C1: {said}")


def test_what_counts_as_independent_is_explained_once_and_the_list_is_short(outcomes):
    parts = [replace(claim(IN_PART, open_clauses=(f"{number}",)), claim_id=f"C{number}") for number in range(20)]
    weak = replace(outcomes["pass_weak"], claims=tuple(parts), strength=None)
    *steps, more, explained = next_steps(weak)
    assert (len(steps), more) == (STEPS_SHOWN - 1, "then 13 more: `refute ticket lint`")
    assert explained.startswith("independent evidence: with types in `given`, a `property`")


def test_a_program_is_told_of_no_field_that_only_python_has(outcomes):
    weak = replace(outcomes["pass_weak"], kind=Kind.CLI, claims=(claim(SURVIVED, tests_run=1),), strength=None)
    assert next_steps(weak) == (
        "C1: only the author's tests passed; add independent evidence",
        "independent evidence for a program: tests by a model (--tester gemini)",
    )


@pytest.mark.parametrize("status", [Status.PASS, Status.FAILED_ADVERSARIAL, Status.ERROR])
def test_other_verdicts_need_no_such_step(outcomes, status):
    assert next_steps(replace(outcomes["pass_weak"], status=status)) == ()
