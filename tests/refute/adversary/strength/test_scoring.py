"""What counts as a kill, what proves nothing, and what voids the score."""

from dataclasses import replace
from typing import Any

import pytest

from refute.adversary.attack import Brief, TestEnd, TestRun
from refute.adversary.contract import VariantRun
from refute.adversary.strength.hollow import CONTROL
from refute.adversary.strength.record import MutantEnd, Strength
from refute.adversary.strength.scope import Sample
from refute.adversary.strength.scoring import Judge, score, unmeasured
from refute.adversary.strength.trial import Trial, VariantRuns
from refute.verdict import in_words
from tests.refute.adversary.conftest import make_run
from tests.refute.adversary.strength.conftest import container, mutant, ran


def failed(name: str = "test_four", **facts: Any) -> TestRun:
    return make_run(name, TestEnd.FAILED, **facts)


def scored(trial: Trial, brief: Brief, mutants: int, *containers: VariantRuns, floor: float = 0.0) -> Strength:
    """The strength after so many mutants, each of line 5."""
    sample = Sample(mutants=tuple(mutant(number) for number in range(1, mutants + 1)))
    return score(trial, brief, sample, containers, floor=floor)


def became(trial: Trial, brief: Brief, *runs: VariantRun) -> MutantEnd:
    return Judge(trial, brief, [VariantRuns(runs=runs)]).result(mutant()).end


@pytest.mark.parametrize(
    ("tests", "expected"),
    [
        ([failed()], MutantEnd.KILLED),
        ([failed("test_seen")], MutantEnd.KILLED),
        ([], MutantEnd.SURVIVED),
        ([failed(error_type="KeyError", raised_in_implementation=True)], MutantEnd.KILLED),
        (
            [failed(error_type="ValueError", raised_in_implementation=True, raised_on_purpose=True)],
            MutantEnd.KILLED,  # the ticket would be INCONCLUSIVE, and no PASS
        ),
        ([failed(error_type="RecursionError", raised_in_implementation=True)], MutantEnd.KILLED),
        ([failed(error_type="NameError")], MutantEnd.UNCLEAR),
        ([failed(error_type="hypothesis.errors.Unsatisfiable", reached_implementation=False)], MutantEnd.UNCLEAR),
        (
            [failed(error_type="hypothesis.errors.Unsatisfiable", reached_implementation=True)],
            MutantEnd.KILLED,  # the ticket would be INCONCLUSIVE: it may be its answers that are unfit
        ),
        ([failed(not_carried="a lock", not_carried_back=True)], MutantEnd.UNCLEAR),
        ([failed(error_type="OSError", error_message="[Errno 101] Network is unreachable")], MutantEnd.UNCLEAR),
        ([make_run("test_four", TestEnd.BROKEN)], MutantEnd.UNCLEAR),
        ([make_run("test_four", TestEnd.SKIPPED)], MutantEnd.UNCLEAR),
        ([make_run("test_four", TestEnd.TIMED_OUT)], MutantEnd.LIMIT),
        ([make_run("test_four", TestEnd.DIED)], MutantEnd.LIMIT),
        ([failed(error_type="MemoryError", raised_in_implementation=True)], MutantEnd.LIMIT),
        ([failed(error_type="OSError", error_message="[Errno 28] No space left on device")], MutantEnd.LIMIT),
    ],
)
def test_only_a_failure_that_would_have_kept_the_ticket_from_passing_kills(
    trial: Trial, brief: Brief, tests: list[TestRun], expected: MutantEnd
) -> None:
    assert became(trial, brief, ran(trial, "1", *tests)) is expected


def test_a_mutant_that_cannot_be_imported_or_was_not_reached_or_cheated_proves_nothing(
    trial: Trial, brief: Brief
) -> None:
    broken = VariantRun(
        name="1", reports=(failed(raised_in_implementation=True, reached_implementation=False),), tampering=()
    )
    assert became(trial, brief, broken) is MutantEnd.UNUSABLE
    assert became(trial, brief) is MutantEnd.NOT_RUN
    cheated = ran(trial, "1", failed(), tampering=("a canary lied",))
    assert became(trial, brief, cheated) is MutantEnd.UNCLEAR


def test_kills_are_counted_with_their_interval_and_tests_that_saw_the_code_apart(trial: Trial, brief: Brief) -> None:
    first = container(trial, ran(trial, "1", failed()), ran(trial, "3", failed("test_seen")), ran(trial, "5"))
    second = container(trial, ran(trial, "2", failed()), ran(trial, "4", make_run("test_four", TestEnd.TIMED_OUT)))
    strength = scored(trial, brief, 6, first, second, floor=0.6)
    assert (strength.n, strength.killed, strength.killed_by_claims_only) == (4, 3, 2)
    assert (strength.drawn, strength.limit, strength.not_run, strength.void) == (6, 1, 1, "")
    assert strength.low == pytest.approx(0.3562, abs=1e-4)
    assert [one.end for one in strength.survivors] == [MutantEnd.SURVIVED]
    assert not strength.suffices


@pytest.mark.parametrize(
    "control",
    [
        pytest.param(lambda trial: ran(trial, CONTROL, failed()), id="fails"),
        pytest.param(lambda trial: ran(trial, CONTROL, tampering=("x",)), id="tampers"),
        pytest.param(lambda trial: ran(trial, CONTROL, make_run("test_seen", TestEnd.TIMED_OUT)), id="hangs"),
        pytest.param(
            lambda trial: replace(ran(trial, CONTROL), reports=ran(trial, "x").reports[:1]), id="lacks a test"
        ),
    ],
)
def test_a_control_on_which_a_test_does_not_pass_voids_the_score(trial: Trial, brief: Brief, control: Any) -> None:
    runs = container(trial, ran(trial, "1", failed()), control(trial))
    strength = scored(trial, brief, 1, runs)
    assert "on the code without a fault" in strength.void
    assert (strength.score, strength.suffices) == (None, False)


def test_without_controls_there_is_no_score(trial: Trial, brief: Brief) -> None:
    runs = container(trial, ran(trial, "1", failed()), controls=False)
    assert "before it was seen" in scored(trial, brief, 1, runs).void


def test_a_lost_container_takes_only_its_own_share_and_all_lost_take_the_score(trial: Trial, brief: Brief) -> None:
    good, lost = container(trial, ran(trial, "1", failed())), VariantRuns(runs=(), lost="out of memory")
    strength = scored(trial, brief, 2, good, lost)
    assert (strength.n, strength.killed, strength.not_run) == (1, 1, 1)
    assert "out of memory" in strength.notes[0]
    assert scored(trial, brief, 1, lost, lost).void == "out of memory"


def test_where_no_mutant_counts_there_is_no_score(trial: Trial, brief: Brief) -> None:
    runs = container(trial, ran(trial, "1", make_run("test_four", TestEnd.TIMED_OUT)))
    assert scored(trial, brief, 1, runs).void


@pytest.mark.parametrize(("killed", "n", "enough"), [(5, 5, True), (4, 4, False), (23, 30, True), (22, 30, False)])
def test_the_floor_holds_for_the_interval_s_lower_end(
    trial: Trial, brief: Brief, killed: int, n: int, enough: bool
) -> None:
    runs = [ran(trial, str(number), *([failed()] if number <= killed else [])) for number in range(1, n + 1)]
    assert scored(trial, brief, n, container(trial, *runs), floor=0.6).suffices is enough


@pytest.mark.parametrize(("killed_first", "enough"), [(True, True), (False, False)])
def test_an_attack_that_notices_no_fault_of_the_changed_lines_is_weak_however_many_it_kills_beside(
    trial: Trial, brief: Brief, killed_first: bool, enough: bool
) -> None:
    mutants = [mutant(number, line=3 if number < 3 else 5) for number in range(1, 31)]
    runs = [ran(trial, str(number), *([failed()] if killed_first or number > 2 else [])) for number in range(1, 31)]
    sample = Sample(mutants=tuple(mutants), changed=frozenset({("impl.py", 3)}))
    strength = score(trial, brief, sample, [container(trial, *runs)], floor=0.6)
    assert strength.suffices is enough
    said = "30 of" if enough else "no test notices a fault in what changed (impl.py:3): 28"
    assert in_words(strength).startswith(said)


@pytest.mark.parametrize(
    ("killed", "survived", "suffices", "said"),
    [
        (14, 1, True, "14 of 15 mutants killed, 15 of 30 not run: at least 75%"),
        (4, 0, False, "too few mutants were run (mutation_timeout_s): 4 of 4 mutants killed, 26 of 30 not run, at "),
        (3, 12, False, "the attack is too weak: 3 of 15 mutants killed, 15 of 30 not run, at least 8%"),
    ],
)
def test_a_sample_that_the_limit_cut_counts_by_what_ran_and_says_what_did_not(
    trial: Trial, brief: Brief, killed: int, survived: int, suffices: bool, said: str
) -> None:
    runs = [ran(trial, str(number), *([failed()] if number <= killed else [])) for number in range(1, 31)]
    strength = scored(trial, brief, 30, container(trial, *runs[: killed + survived]), floor=0.6)
    assert strength.suffices is suffices
    assert in_words(strength).startswith(said)


def test_what_was_not_measured_never_suffices() -> None:
    strength = unmeasured("no", floor=0.0, drawn=3)
    assert (strength.suffices, strength.not_run) == (False, 3)
