"""Data sets become tickets that do not tell right from wrong; outcomes become shares with their uncertainty."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from refute.adversary.attack import Category, Origin, TriageVerdict
from refute.bench.critics import score_critics
from refute.bench.dataset import Pair, Program, digest, read_dataset, write_tickets
from refute.bench.score import BenchScore, Catch, score
from refute.critics.focus import Focus
from refute.critics.record import Review, ReviewFailure, ReviewVerdict, Severity, Standing, verdict_of
from refute.errors import UsageError
from refute.outcome import ClaimResult, ClaimVerdict, Outcome, Provenance, Status, TestFailure, TestRecord
from refute.ticket.parse import load_ticket
from refute.ticket.record import ClaimId, TicketId
from reports.bench import render_bench
from tests.fakes.outcomes import fake_outcome

LINE = {
    "id": "twice",
    "entry_point": "twice",
    "claims": ["twice(2) == 4"],
    "correct": "def twice(n):\n    return n * 2",
    "wrong": "def twice(n):\n    return n ** 2 + 1",
    "hidden_test": "assert twice(3) == 6",
}


def dataset(folder: Path, count: int = 1) -> Path:
    path = folder / "set.jsonl"
    path.write_text("".join(json.dumps({**LINE, "id": f"p{n}"}) + "\n" for n in range(count)))
    return path


def test_both_versions_become_tickets_that_can_be_loaded_and_do_not_tell(tmp_path: Path) -> None:
    (pair,) = read_dataset(dataset(tmp_path))
    write_tickets([pair], tmp_path / "out")
    for ticket_id in (pair.right, pair.wrong):
        ticket = load_ticket(tmp_path / "out" / ticket_id)
        assert ticket.claims[0].text == "twice(2) == 4"
        everything = "".join(path.read_text() for path in (tmp_path / "out" / ticket_id).iterdir())
        for word in ("correct", "wrong", "hidden", "twice(3)", "p0"):
            assert word not in everything


def test_an_earlier_version_is_one_to_answer_like(tmp_path: Path) -> None:
    (tmp_path / "set.jsonl").write_text(json.dumps({**LINE, "previous": LINE["correct"]}))
    (pair,) = read_dataset(tmp_path / "set.jsonl")
    write_tickets([pair], tmp_path)
    ticket = load_ticket(tmp_path / pair.wrong)
    assert ticket.claims[1].unchanged == {"twice": ""}
    assert (tmp_path / pair.wrong / (ticket.previous or "")).read_text() == f"{LINE['correct']}\n"


def test_a_draw_is_that_of_its_seed_and_keeps_the_order(tmp_path: Path) -> None:
    path = dataset(tmp_path, 20)
    one, same, other = ([pair.program.id for pair in read_dataset(path, limit=5, seed=seed)] for seed in (1, 1, 2))
    assert one == same == sorted(one, key=lambda name: int(name[1:]))
    assert one != other
    assert digest(read_dataset(path)) != digest(read_dataset(path, limit=5))


@pytest.mark.parametrize("text", ["", "{", '{"id": "x"}', json.dumps(LINE) + "\n" + json.dumps(LINE)])
def test_what_is_no_data_set_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(text)
    with pytest.raises(UsageError, match="data set"):
        read_dataset(path)


def test_a_missing_data_set_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_dataset(tmp_path / "none")


def outcome(ticket_id: str, status: Status, *failing: str, origin: Origin = Origin.PHRASE) -> Outcome:
    failures = tuple(
        TestFailure(
            test_name=name,
            claim_violated=ClaimId("C1"),
            claim_text="",
            error_type="AssertionError",
            error_message="1 != 2\nmore",
            traceback="",
            smallest_input="",
            reproducer="",
            tester="property",
        )
        for name in failing
    )
    tests = tuple(
        TestRecord(
            name=name,
            claim_id=ClaimId("C1"),
            category=Category.EDGE,
            origin=origin,
            tester="property",
            verdict=TriageVerdict.REFUTED,
            reason="",
        )
        for name in failing
    )
    claim = ClaimResult(claim_id=ClaimId("C1"), text="", verdict=ClaimVerdict.SURVIVED, reason="", tests_run=1)
    return Outcome(
        run_id="r",
        ticket_id=TicketId(ticket_id),
        title="",
        status=status,
        reason="",
        started_at=datetime(2026, 11, 22, tzinfo=UTC),
        duration_s=3.0,
        provenance=Provenance(refute_version="0", tester="property"),
        claims=(claim,),
        failures=failures,
        tests=tests,
    )


def judge(pair: Pair, right: Outcome | None, wrong: Outcome | None) -> BenchScore:
    there = {pair.right: right, pair.wrong: wrong}
    known = {name: replace(one, ticket_id=name) for name, one in there.items() if one is not None}
    return score([pair], known, tester="property", dataset="set.jsonl", dataset_sha256="0" * 64)


PASSED = outcome("x", Status.PASS_WEAK)


@pytest.mark.parametrize(
    ("right", "wrong", "catch"),
    [
        (PASSED, outcome("x", Status.FAILED_ADVERSARIAL, "test_a"), Catch.REFUTED),
        (PASSED, PASSED, Catch.MISSED),
        (PASSED, outcome("x", Status.INCONCLUSIVE), Catch.UNDECIDED),
        (PASSED, outcome("x", Status.FAILED_TIMEOUT), Catch.FAILED),
        (PASSED, outcome("x", Status.ERROR), Catch.NONE),
        (PASSED, None, Catch.NONE),
        (None, outcome("x", Status.FAILED_ADVERSARIAL, "test_a"), Catch.REFUTED),
        (
            outcome("x", Status.FAILED_ADVERSARIAL, "test_a"),
            outcome("x", Status.FAILED_ADVERSARIAL, "test_a"),
            Catch.BAD,
        ),
        (
            outcome("x", Status.FAILED_ADVERSARIAL, "test_a"),
            outcome("x", Status.FAILED_ADVERSARIAL, "test_a", "test_b"),
            Catch.REFUTED,
        ),
    ],
)
def test_what_counts_as_a_catch(tmp_path: Path, right: Outcome | None, wrong: Outcome | None, catch: Catch) -> None:
    (pair,) = read_dataset(dataset(tmp_path))
    assert judge(pair, right, wrong).programs[0].catch is catch


def test_a_right_version_refuted_is_a_false_fail_with_its_reason(tmp_path: Path) -> None:
    (pair,) = read_dataset(dataset(tmp_path))
    scored = judge(pair, outcome("x", Status.FAILED_ADVERSARIAL, "test_a"), PASSED)
    assert (scored.false_fail.hits, scored.false_fail.trials) == (1, 1)
    assert scored.programs[0].false_fail == "test_a: 1 != 2"


def test_a_right_version_that_a_limit_ended_is_a_false_fail_too(tmp_path: Path) -> None:
    (pair,) = read_dataset(dataset(tmp_path))
    timed_out = replace(outcome("x", Status.FAILED_TIMEOUT), reason="attack: over its limit of 600 s")
    scored = judge(pair, timed_out, PASSED)
    assert (scored.false_fail.hits, scored.false_fail.trials) == (1, 1)
    assert scored.programs[0].false_fail == "attack: over its limit of 600 s"


def test_infrastructure_is_nobody_s_failure(tmp_path: Path) -> None:
    (pair,) = read_dataset(dataset(tmp_path))
    scored = judge(pair, outcome("x", Status.ERROR), outcome("x", Status.SKIPPED_BUDGET))
    assert scored.refuted.trials == scored.false_fail.trials == scored.inconclusive.trials == 0
    assert scored.no_outcome == 2


@pytest.mark.parametrize("form", ["table", "markdown", "json"])
def test_every_form_shows_shares_with_intervals_and_the_caveat(tmp_path: Path, form: str) -> None:
    (pair,) = read_dataset(dataset(tmp_path))
    text = render_bench(judge(pair, PASSED, outcome("x", Status.FAILED_ADVERSARIAL, "test_a")), form)
    assert "upper bounds" in text
    assert ("1 of 1 (100%, 95%: 21% to 100%)" in text) or '"share": 1.0' in text
    assert text.endswith("\n")


PROGRAM = Program(id="p", entry_point="f", claims=("c",), correct="right", wrong="wrong")
PAIRS = [
    Pair(program=PROGRAM, right=TicketId(f"right-{number}"), wrong=TicketId(f"wrong-{number}")) for number in range(2)
]


def review(*standings: Standing) -> Review:
    failures = tuple(
        ReviewFailure(severity=Severity.MAJOR, description="d", evidence="e", standing=one) for one in standings
    )
    return Review(
        critic_id="correctness-1",
        focus=Focus.CORRECTNESS,
        verdict=verdict_of(failures),
        failures=failures,
        model="m",
        input_tokens=90,
        output_tokens=10,
    )


def test_only_confirmed_failures_block_and_opinions_are_counted_apart():
    said = {
        "wrong-0": review(Standing.CONFIRMED),
        "wrong-1": review(Standing.UNCONFIRMED),
        "right-0": review(Standing.UNCONFIRMED),
        "right-1": replace(review(), verdict=ReviewVerdict.UNAVAILABLE),
    }
    outcomes = {name: fake_outcome(name, reviews=(one,)) for name, one in said.items()}
    (score,) = score_critics(PAIRS, outcomes)
    assert (score.precision.hits, score.precision.trials) == (1, 1)
    assert (score.recall.hits, score.recall.trials) == (1, 2)
    assert (score.opinions.hits, score.opinions.trials) == (2, 3)
    assert (score.unavailable, score.tokens_each) == (1, 100)


def test_the_critic_that_reads_text_alone_is_not_measured():
    one = replace(review(Standing.CONFIRMED), model="")
    assert score_critics(PAIRS, {"wrong-0": fake_outcome("wrong-0", reviews=(one,))}) == ()
