from collections.abc import Sequence
from typing import Any

import pytest

from refute.adversary.attack import Origin, TestEnd, TestRun, TriagedTest, TriageVerdict
from refute.adversary.judgement.triage import triage_tests
from tests.refute.adversary.conftest import CLAIM, make_attack, make_attack_run, make_brief, make_run, make_test

SOURCE = "def test_a():\n    import impl\n    assert impl.double(2) == 4\ndef test_own():\n    assert 1 == 2\n"


def judged(
    *runs: TestRun, origin: Origin = Origin.MODEL, claim: str = CLAIM, name: str = "test_a", source: str = SOURCE,
    code: str = "",
) -> TriagedTest:  # fmt: skip
    """Triage one test with its first run and repetitions (three like the first unless given)."""
    first, *again = runs
    attack = make_attack(source, [make_test(name, origin=origin)])
    run = make_attack_run([first], *[[one] for one in again or [first] * 3])
    (triaged,) = triage_tests(run, attack, make_brief(claim, source=code), repetitions=len(again) or 3)
    return triaged


def failed(error_type: str, message: str = "m", **facts: Any) -> TestRun:
    return make_run(error_type=error_type, error_message=message, **facts)


IN = {"raised_in_implementation": True}


@pytest.mark.parametrize("end", [TestEnd.PASSED, TestEnd.FAILED, TestEnd.BROKEN])
def test_what_could_not_be_carried_to_the_implementation_makes_a_test_invalid(end: TestEnd) -> None:
    triaged = judged(make_run(end=end, not_carried="reads its source"))
    assert (triaged.verdict, triaged.reason) == (TriageVerdict.INVALID, "reads its source")


SOMETIMES = (make_run(), make_run(), make_run(end=TestEnd.PASSED), make_run())


@pytest.mark.parametrize(
    "other",
    [
        make_run(end=TestEnd.TIMED_OUT, **IN),
        make_run(end=TestEnd.DIED),
        make_run(end=TestEnd.BROKEN, error_type="RuntimeError"),
        make_run(end=TestEnd.SKIPPED),
        failed("RecursionError", **IN),
        make_run(not_carried="returns a frame", not_carried_back=False),
    ],
    ids=lambda run: f"{run.end} {run.error_type} {run.not_carried}",
)
def test_a_test_that_no_run_passed_is_not_put_down_to_chance(other: TestRun) -> None:
    assert judged(make_run(), other, other, other).verdict is TriageVerdict.NEEDS_REVIEW


@pytest.mark.parametrize(
    ("source", "contested"),
    [
        ("def test_a():\n    import impl\n    assert impl.double(2) == 4\n", True),
        ("import random\ndef test_b():\n    random.random()\ndef test_a():\n    assert impl.double(2) == 4\n", True),
        ("import random\ndef test_a():\n    assert impl.double(2) == random.choice([4])\n", False),
        ("import time\nBEGAN = time.time()\ndef test_a():\n    assert impl.double(2) == 4 + 0 * BEGAN\n", False),
        (
            "import threading as t\ndef run():\n    t.Event().wait(0.1)\ndef test_a():\n    run()\n    assert impl.x\n",
            False,
        ),
        ("def test_a():\n    from datetime import datetime\n    assert impl.year() == datetime.now().year\n", False),
        ("def test_a(:\n", True),
    ],
)
def test_a_test_that_leaves_nothing_to_chance_and_passes_at_times_is_contested(source: str, *, contested: bool) -> None:
    triaged = judged(*SOMETIMES, source=source)
    assert (triaged.verdict, triaged.contested) == (TriageVerdict.FLAKY, contested)


def test_a_test_that_passes_where_no_limit_is_met_is_not_contested() -> None:
    passed = make_run(end=TestEnd.PASSED)
    for run in (failed("MemoryError", **IN), make_run(end=TestEnd.TIMED_OUT, **IN), make_run(end=TestEnd.DIED)):
        triaged = judged(run, passed, passed, passed)
        assert (triaged.verdict, triaged.contested) == (TriageVerdict.FLAKY, False)


@pytest.mark.parametrize(("claim", "verdict"), [(CLAIM, "invalid"), ("It needs no event loop.", "refuted")])
def test_code_that_wants_an_event_loop_is_not_wrong_for_being_called_without_one(claim: str, verdict: str) -> None:
    run = failed("RuntimeError", "no running event loop", **IN)
    assert judged(run, origin=Origin.AUTHOR_EXAMPLE, claim=claim).verdict == verdict


OWN = {"reached_implementation": False}


@pytest.mark.parametrize(
    ("missing", "origin", "verdict"),
    [
        ("cannot import name 'double' from 'impl' (/workspace/impl.py)", Origin.AUTHOR_EXAMPLE, "refuted"),
        ("cannot import name 'double' from 'impl' (/workspace/impl.py)", Origin.MODEL, "invalid"),
        ("cannot import name 'helper' from 'impl' (/workspace/impl.py)", Origin.AUTHOR_EXAMPLE, "invalid"),
        ("cannot import name 'double' from 'math' (unknown location)", Origin.AUTHOR_EXAMPLE, "invalid"),
        ("module 'impl' has no attribute 'double'", Origin.AUTHOR_EXAMPLE, "refuted"),
        ("module 'impl' has no attribute 'helper'", Origin.AUTHOR_EXAMPLE, "invalid"),
        ("module 'math' has no attribute 'double'", Origin.AUTHOR_EXAMPLE, "invalid"),
    ],
)
def test_what_the_claim_and_its_author_s_own_call_name_must_be_there(
    missing: str, origin: Origin, verdict: str
) -> None:
    run = failed("ImportError" if missing.startswith("cannot") else "AttributeError", missing, **OWN)
    assert judged(run, origin=origin, claim="`double(n)` is twice n.").verdict == verdict


@pytest.mark.parametrize(
    ("run", "verdict"),
    [
        (failed("FileNotFoundError", "[Errno 2] No such file or directory: '/tmp/attack/x'", **OWN), "needs_review"),
        (failed("FileNotFoundError", "[Errno 2] No such file or directory: 'impl.py'", **OWN), "needs_review"),
        (failed("OSError", "[Errno 28] No space left on device", **OWN), "needs_review"),
        (failed("FileNotFoundError", "[Errno 2] No such file or directory: 'nowhere.txt'", **OWN), "invalid"),
        (failed("ValueError", "not in '/tmp/attack/x'", **OWN), "invalid"),
        (
            make_run(end=TestEnd.BROKEN, error_type="OSError", error_message="[Errno 13] '/tmp/a'", **OWN),
            "needs_review",
        ),
        (make_run(end=TestEnd.BROKEN, error_type="RuntimeError", **IN), "needs_review"),
        (make_run(end=TestEnd.BROKEN, error_type="RuntimeError"), "invalid"),
    ],
)
def test_what_a_test_was_deprived_of_is_not_its_own_mistake(run: TestRun, verdict: str) -> None:
    assert judged(run).verdict == verdict


@pytest.mark.parametrize(("compared", "verdict"), [("==", TriageVerdict.REFUTED), ("<=", TriageVerdict.NEEDS_REVIEW)])
def test_an_authors_example_that_fails_differently_each_time_refutes_unless_it_is_measured(
    compared: str, verdict: TriageVerdict
) -> None:
    runs = [failed("AssertionError", f"assert {lost} {compared} 1600") for lost in (1680, 1700, 1691, 1655)]
    assert judged(*runs, origin=Origin.AUTHOR_EXAMPLE).verdict is verdict


def test_other_error_types_of_other_runs_are_told() -> None:
    triaged = judged(make_run(), make_run(), failed("KeyError", **IN), make_run())
    assert (triaged.verdict, "sometimes KeyError" in triaged.reason) == (TriageVerdict.REFUTED, True)


MISSING, HUNG = make_run(end=TestEnd.MISSING), make_run(end=TestEnd.TIMED_OUT)


@pytest.mark.parametrize(
    ("runs", "verdicts"),
    [([make_run()] * 2, ["needs_review"]), ([HUNG] * 2, ["needs_review"]), ([], [])],
    ids=["failed and too seldom repeated", "hung and too seldom repeated", "never run"],
)
def test_what_the_suites_limit_kept_from_running_means_nothing(runs: list[TestRun], verdicts: list[str]) -> None:
    run = make_attack_run(*[[one] for one in [*runs, MISSING]], timed_out=True)
    told = triage_tests(run, make_attack(SOURCE, [make_test("test_a")]), make_brief(), repetitions=3)
    assert [one.verdict for one in told] == verdicts
    assert all("only 1 of 3" in one.reason for one in told)


@pytest.mark.parametrize(
    "run",
    [
        make_run(end=TestEnd.BROKEN, error_type="_pytest.fixtures.FixtureLookupError"),
        make_run(end=TestEnd.SKIPPED),
        failed("NameError", "name 'x' is not defined", reached_implementation=False),
        failed("NameError", "name 'x' is not defined"),
        failed("ModuleNotFoundError", "No module named 'numpy'", reached_implementation=False),
        failed("TypeError", "double() takes 1 positional argument but 2 were given", reached_implementation=False),
        failed("TypeError", "double() missing 1 required positional argument: 'x'"),
        failed("AttributeError", "module 'impl' has no attribute 'y'", reached_implementation=False),
        failed("hypothesis.errors.FailedHealthCheck"),
        failed("hypothesis.errors.Unsatisfiable", reached_implementation=False),
    ],
    ids=lambda run: f"{run.end} {run.error_type} {run.error_message[:20]}",
)
def test_a_test_that_is_itself_wrong_is_invalid(run: TestRun) -> None:
    assert judged(run).verdict is TriageVerdict.INVALID


@pytest.mark.parametrize("origin", [Origin.AUTHOR_EXAMPLE, Origin.AUTHOR_PROPERTY, Origin.FIELD])
def test_a_call_that_the_author_wrote_and_the_signature_refuses_refutes(origin: Origin) -> None:
    run = failed("TypeError", "double() got an unexpected keyword argument 'y'", reached_implementation=False)
    assert judged(run, origin=origin).verdict is TriageVerdict.REFUTED


LIMITS = {
    "time": make_run(end=TestEnd.TIMED_OUT, duration_s=20.0, **IN),
    "memory": failed("MemoryError", **IN),
    "recursion": failed("RecursionError", **IN),
    "exit": make_run(end=TestEnd.DIED, **IN),
}
PROMISES = {
    "time": ["The parser always terminates.", "It never hangs.", "Every call returns within 2 seconds."],
    "memory": ["Runs in constant memory.", "It never runs out of memory."],
    "recursion": ["Handles deeply nested lists.", "Never raises RecursionError."],
    "exit": ["It never crashes."],
}


def test_a_recursion_without_end_on_small_input_refutes_what_promises_a_result() -> None:
    assert judged(LIMITS["recursion"], origin=Origin.MODEL).verdict is TriageVerdict.REFUTED
    drawn = failed("RecursionError", smallest_input="x=0", **IN)
    assert judged(drawn, origin=Origin.PHRASE).verdict is TriageVerdict.REFUTED
    assert judged(drawn, origin=Origin.AUTHOR_PROPERTY).reason.endswith(", for x=0")


@pytest.mark.parametrize(("limit", "claim"), [(limit, claim) for limit in LIMITS for claim in PROMISES[limit]])
def test_a_limit_that_the_claim_rules_out_refutes_when_all_runs_agree(limit: str, claim: str) -> None:
    assert judged(LIMITS[limit], claim=claim).verdict is TriageVerdict.REFUTED


@pytest.mark.parametrize("limit", LIMITS)
def test_a_limit_outside_the_implementation_never_refutes(limit: str) -> None:
    inside = LIMITS[limit]
    outside = make_run(end=inside.end, error_type=inside.error_type, duration_s=20.0)
    assert judged(inside, inside, outside, claim=PROMISES[limit][0]).verdict is TriageVerdict.NEEDS_REVIEW


@pytest.mark.parametrize(
    "claim",
    [
        "allow() grants at most 3 calls within 10 seconds.",
        "The session terminates the connection of the client.",
        "Every call returns within 60 seconds.",
        "No block is larger than the limit.",
        "Runs in O(n).",
    ],
)
def test_words_that_only_sound_like_a_promise_to_end_rule_nothing_out(claim: str) -> None:
    assert judged(LIMITS["time"], claim=claim).verdict is TriageVerdict.NEEDS_REVIEW


@pytest.mark.parametrize(
    ("error_type", "message"),
    [
        ("OSError", "[Errno 28] No space left on device"),
        ("RuntimeError", "can't start new thread"),
        ("BlockingIOError", "[Errno 11] Resource temporarily unavailable"),
        ("OSError", "[Errno 30] Read-only file system: '/etc/x'"),
        ("urllib.error.URLError", "<urlopen error [Errno -3] Temporary failure in name resolution>"),
    ],
)
def test_what_the_sandbox_refuses_is_no_evidence(error_type: str, message: str) -> None:
    assert judged(failed(error_type, message, **IN)).verdict is TriageVerdict.NEEDS_REVIEW


PASSED = make_run(end=TestEnd.PASSED)
ROLLED = [failed("AssertionError", f"expected 4, got {roll}") for roll in (5, 2, 5, 3)]
PLACED = [failed("AssertionError", f"expected 4, got <object object at 0x7f{n}>") for n in range(4)]
SETS = ("{'a', 'b'}", "{'b', 'a'}")
ORDERED = [failed("AssertionError", f"expected 4, got {one}\nassert (<a ob...x7f{one}>") for one in SETS]


@pytest.mark.parametrize(
    ("runs", "facts", "verdict"),
    [
        ([PASSED], {}, "survived"),
        ([make_run()], {}, "refuted"),
        (SOMETIMES, {}, "flaky"),
        ([make_run(reached_implementation=False)], {}, "refuted"),  # about a constant of the implementation
        ([make_run("test_own", reached_implementation=False)], {"name": "test_own"}, "invalid"),
        ([failed("Failed", "DID NOT RAISE <class 'ValueError'>")], {}, "refuted"),
        ([failed("IndexError", "list index out of range", **IN)], {}, "refuted"),
        ([make_run(end=TestEnd.MISSING)], {}, "needs_review"),
        ([failed("hypothesis.errors.Unsatisfiable")], {}, "needs_review"),
        ([failed("hypothesis.errors.Unsatisfiable", **IN)], {}, "needs_review"),
        ([failed("hypothesis.errors.FlakyFailure")], {}, "flaky"),
        ([make_run(not_carried="the value is too large", not_carried_back=True)], {}, "needs_review"),
        (ROLLED, {"origin": Origin.DOCSTRING_EXAMPLE}, "needs_review"),
        *((told, {"origin": Origin.DOCSTRING_EXAMPLE}, "refuted") for told in (PLACED, ORDERED)),
        ([LIMITS["recursion"]], {"origin": Origin.CLAIM_EXAMPLE}, "refuted"),
        ([LIMITS["recursion"], PASSED], {"origin": Origin.CLAIM_EXAMPLE}, "flaky"),
        *(([run], {"origin": Origin.AUTHOR_PROPERTY}, "needs_review") for run in LIMITS.values()),
    ],
)
def test_what_runs_of_a_kind_mean(runs: Sequence[TestRun], facts: dict[str, Any], verdict: str) -> None:
    triaged = judged(*runs, **facts)
    assert triaged.verdict == verdict
    assert triaged.reason == "4 of 4 runs: AssertionError: assert 1 == 2" or runs != [make_run()]


PURPOSE = IN | {"raised_on_purpose": True}


@pytest.mark.parametrize(
    ("origin", "claim", "verdict"),
    [
        (Origin.MODEL, CLAIM, TriageVerdict.NEEDS_REVIEW),
        (Origin.PHRASE, CLAIM, TriageVerdict.NEEDS_REVIEW),
        (Origin.AUTHOR_EXAMPLE, CLAIM, TriageVerdict.REFUTED),
        (Origin.AUTHOR_PROPERTY, CLAIM, TriageVerdict.REFUTED),
        (Origin.FIELD, CLAIM, TriageVerdict.NEEDS_REVIEW),
        (Origin.FUZZ, CLAIM, TriageVerdict.REFUTED),
        (Origin.PHRASE, "double() never raises.", TriageVerdict.REFUTED),
        (Origin.PHRASE, "double() raises TypeError for text.", TriageVerdict.REFUTED),
        (Origin.PHRASE, "double() raises ValueError for text.", TriageVerdict.NEEDS_REVIEW),
    ],
)
def test_an_input_refused_on_purpose_refutes_only_where_the_claim_leaves_no_room(
    origin: Origin, claim: str, verdict: TriageVerdict
) -> None:
    assert judged(failed("ValueError", **PURPOSE), origin=origin, claim=claim).verdict is verdict


@pytest.mark.parametrize(
    ("origin", "verdict"),
    [
        (Origin.AUTHOR_EXAMPLE, TriageVerdict.REFUTED),
        (Origin.MODEL, TriageVerdict.REFUTED),  # as far as a vote agrees
        (Origin.PHRASE, TriageVerdict.NEEDS_REVIEW),
    ],
)
def test_an_error_in_the_tests_frame_after_a_call_counts_for_what_the_author_wrote_and_is_voted_on_for_a_model(
    origin: Origin, verdict: TriageVerdict
) -> None:
    assert judged(failed("TypeError", "'NoneType' object is not iterable"), origin=origin).verdict is verdict


@pytest.mark.parametrize(("code", "refutes"), [("def double(x:", True), ("def double(x):\n    return 2 * x\n", False)])
def test_an_implementation_file_that_python_cannot_read_refutes_and_no_error_that_only_says_so(
    code: str, refutes: bool
) -> None:
    run = make_run(error_type="SyntaxError", error_message="invalid syntax (impl.py, line 1)")
    triaged = judged(run, code=code)
    assert (triaged.verdict is TriageVerdict.REFUTED) is refutes
    assert triaged.without_vote is refutes
