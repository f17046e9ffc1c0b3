"""Which claims are attacked too weakly to trust, and which are not, by how their tests end on hollow code."""

from dataclasses import replace
from random import SystemRandom
from typing import TYPE_CHECKING

import pytest

from refute.adversary.attack import Brief, Origin, TestEnd
from refute.adversary.contract import VariantRun
from refute.adversary.strength.hollow import FAILING, OTHERWISE
from refute.adversary.strength.record import ShallowClaim
from refute.adversary.strength.scoring import Judge
from refute.adversary.strength.trial import Trial, VariantRuns, make_trial
from refute.settings import Settings
from tests.refute.adversary.conftest import make_attack, make_brief, make_run, make_test, make_triaged
from tests.refute.adversary.strength.conftest import hollow

if TYPE_CHECKING:
    from collections.abc import Mapping

SOURCE = """
LIMIT = 10

class Refused(ValueError):
    pass

def double(x):
    return 2 * x
"""
TEST = "def test_a():\n    from impl import double\n    assert double(2) == 4\n"
ON_LIMIT = "from impl import LIMIT as most\n\ndef test_a():\n    assert most == 10\n"
ON_CLASS = "def test_a():\n    import impl\n    assert issubclass(impl.Refused, ValueError)\n"


def trial_of(
    settings: Settings, claim: str, code: str = TEST, *, attested: bool = True, origin: Origin = Origin.MODEL
) -> tuple[Trial, Brief]:
    brief, test = make_brief(claim, source=SOURCE), make_test("test_a", origin=origin)
    passed = make_triaged(test, run=make_run("test_a", TestEnd.PASSED, attested=attested))
    return make_trial(make_attack(code, [test]), [passed], brief, settings, chance=SystemRandom()), brief


def told(trial: Trial, brief: Brief, noticed: str, **facts: object) -> tuple[ShallowClaim, ...]:
    """What is told of tests that notice failing code (F), and other answers (O)."""
    runs = {
        name: hollow(trial, name, fail=trial.tests if letter in noticed else (), **facts)
        for name, letter in {FAILING: "F", OTHERWISE: "O"}.items()
    }
    shallow, unjudged = Judge(trial, brief, [VariantRuns(runs=tuple(runs.values()))]).shallow()
    assert unjudged == ""
    return shallow


@pytest.mark.parametrize(
    ("claim", "noticed", "code"),
    [
        ("double(x) returns twice its argument.", "FO", TEST),
        ("double(x) never raises, whatever it is given.", "F", TEST),
        ("double(x) returns within 2 seconds for a million items.", "F", TEST),
        ("An empty file exits with 0.", "F", TEST),
        ("The most is 10.", "", ON_LIMIT),
        ("Refused is a kind of error.", "", ON_CLASS),
    ],
)
def test_honest_claims_are_not_called_weak(settings: Settings, claim: str, noticed: str, code: str) -> None:
    assert told(*trial_of(settings, claim, code), noticed) == ()


@pytest.mark.parametrize(
    ("claim", "noticed", "unnoticed"),
    [
        ("double(x) returns twice its argument.", "F", f"where {OTHERWISE}"),
        ("double(x) returns twice its argument.", "", f"where {OTHERWISE} and where {FAILING}"),
        ("double(x) raises ValueError for text.", "O", f"where {FAILING}"),
        ("double(x) never raises.", "", f"where {OTHERWISE} and where {FAILING}"),
    ],
)
def test_a_claim_whose_tests_hollow_code_passes_is_told_with_what_would_help(
    settings: Settings, claim: str, noticed: str, unnoticed: str
) -> None:
    (shallow,) = told(*trial_of(settings, claim), noticed)
    assert (shallow.claim_id, shallow.tests) == ("C1", ("test_a",))
    assert shallow.unnoticed == unnoticed


@pytest.mark.parametrize("facts", [{"origin": Origin.AUTHOR_EXAMPLE}, {"attested": False}])
def test_only_tests_that_a_pass_would_rest_on_are_asked(settings: Settings, facts: dict[str, object]) -> None:
    trial, brief = trial_of(settings, "double(x) returns twice its argument.", **facts)  # type: ignore[arg-type]
    assert trial.witnesses == {}
    assert told(trial, brief, "") == ()


@pytest.mark.parametrize(
    "facts",
    [
        {"end": TestEnd.TIMED_OUT},
        {"end": TestEnd.DIED},
        {"not_carried": "a lock"},
        {"error_type": "OSError", "error_message": "[Errno 101] Network is unreachable"},
        {"error_type": "hypothesis.errors.DeadlineExceeded"},
    ],
)
def test_an_end_that_has_other_reasons_is_no_notice(settings: Settings, facts: dict[str, object]) -> None:
    trial, brief = trial_of(settings, "double(x) returns twice its argument.")
    (shallow,) = told(trial, brief, "FO", **facts)
    assert shallow.unnoticed == f"where {OTHERWISE}"


def broken(trial: Trial) -> VariantRun:
    run = make_run(trial.tests[0], TestEnd.FAILED, raised_in_implementation=True, reached_implementation=False)
    return VariantRun(name=FAILING, reports=(run,), tampering=())


@pytest.mark.parametrize(
    "of_failing",
    [
        pytest.param(lambda _: {}, id="not reached"),
        pytest.param(lambda trial: {FAILING: broken(trial)}, id="not importable"),
        pytest.param(
            lambda trial: {FAILING: replace(hollow(trial, FAILING), tampering=("a canary lied",))}, id="tampered with"
        ),
    ],
)
def test_where_hollow_code_could_not_be_run_that_is_told_and_no_claim_is_blamed(
    settings: Settings, of_failing: object
) -> None:
    trial, brief = trial_of(settings, "double(x) returns twice its argument.")
    runs: Mapping[str, VariantRun] = {OTHERWISE: hollow(trial, OTHERWISE)} | of_failing(trial)  # type: ignore[operator]
    shallow, unjudged = Judge(trial, brief, [VariantRuns(runs=tuple(runs.values()))]).shallow()
    assert shallow == ()
    assert unjudged.startswith(FAILING)
